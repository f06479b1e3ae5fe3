import { createHash } from 'node:crypto';
import {
  type ArchiveEntry,
  FRAME,
  FRAME_HEAD_BYTES,
  MAGIC,
  MOST_FRAME_BYTES,
} from './archive-entry.js';

/** Returns the bytes of an archive, with a checksum (SHA-256) for each table and a checksum of the whole archive. */
export async function* encodeArchive(
  entries: AsyncIterable<ArchiveEntry>,
): AsyncGenerator<Buffer, void> {
  const everything = createHash('sha256');
  let table = createHash('sha256');
  const recorded = (bytes: Buffer): Buffer => {
    everything.update(bytes);
    return bytes;
  };
  yield recorded(MAGIC);
  for await (const entry of entries) {
    if (entry.kind === 'rows') {
      table.update(entry.bytes);
      for (let start = 0; start < entry.bytes.length; start += MOST_FRAME_BYTES) {
        const part = entry.bytes.subarray(start, start + MOST_FRAME_BYTES);
        yield recorded(frame(FRAME.rows, part));
      }
      continue;
    }
    if (entry.kind === 'table') table = createHash('sha256');
    const stored = entry.kind === 'table_end' ? { ...entry, sha256: table.digest('hex') } : entry;
    yield recorded(frame(FRAME.json, Buffer.from(JSON.stringify(stored))));
  }
  yield frame(FRAME.digest, everything.digest());
}

function frame(type: number, content: Buffer): Buffer {
  // A reader refuses longer frames, so an archive with such a frame could never be restored.
  if (content.length > MOST_FRAME_BYTES) throw new Error('A part of the archive is too long.');
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.writeUInt8(type, 0);
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
}
