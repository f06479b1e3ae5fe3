import { createHash } from 'node:crypto';
import { AppError } from '../../errors/app-error.js';
import {
  ARCHIVE_NAME,
  type ArchiveEntry,
  FRAME,
  FRAME_HEAD_BYTES,
  MAGIC,
  MOST_FRAME_BYTES,
} from './archive-entry.js';
import { parseEntry } from './parse-entry.js';

/**
 * Returns the parts of an archive. Throws as soon as a checksum is wrong, a part is missing, or the format is unknown.
 * An archive is complete only when all its parts were read without an error.
 */
export async function* decodeArchive(
  bytes: AsyncIterable<Buffer>,
): AsyncGenerator<ArchiveEntry, void> {
  const source = bytes[Symbol.asyncIterator]();
  try {
    yield* decode(new ByteReader(source));
  } finally {
    await source.return?.();
  }
}

async function* decode(reader: ByteReader): AsyncGenerator<ArchiveEntry, void> {
  const everything = createHash('sha256');
  const order = new EntryOrder();
  let table = createHash('sha256');
  everything.update(await readMagic(reader));
  for (;;) {
    const head = await reader.take(FRAME_HEAD_BYTES);
    const [type, length] = [head.readUInt8(0), head.readUInt32BE(1)];
    if (length > MOST_FRAME_BYTES) throw damaged('the length of a part is wrong');
    const content = await reader.take(length);
    if (type === FRAME.digest) {
      order.assertEnded();
      if (!everything.digest().equals(content)) throw damaged('its checksum is wrong');
      if (!(await reader.isAtEnd())) throw damaged('something follows its end');
      return;
    }
    everything.update(head).update(content);
    if (type === FRAME.rows) {
      order.accept('rows');
      table.update(content);
      yield { kind: 'rows', bytes: content };
      continue;
    }
    if (type !== FRAME.json) throw damaged('a part has an unknown type');
    const { entry, sha256 } = parseEntry(content);
    order.accept(entry.kind);
    if (entry.kind === 'table') table = createHash('sha256');
    if (entry.kind === 'table_end' && table.digest('hex') !== sha256) {
      throw damaged('the checksum of a table is wrong');
    }
    if (entry.kind === 'end' && entry.tables !== order.tables) {
      throw damaged('a table is missing');
    }
    yield entry;
  }
}

/** Returns the error for an archive that was truncated or changed. */
export function damaged(how: string): AppError {
  return AppError.invalid(`The archive is damaged: ${how}. Use another one.`);
}

async function readMagic(reader: ByteReader): Promise<Buffer> {
  const found = await reader.take(MAGIC.length);
  if (found.equals(MAGIC)) return found;
  throw AppError.invalid(
    found.toString('latin1').startsWith(ARCHIVE_NAME)
      ? 'The archive has a newer format than this version of Switchboard knows. Restore it with the version that made it.'
      : 'The file is not a backup of Switchboard. Use another one.',
  );
}

/** Checks that the parts of an archive come in the only order that is allowed. */
class EntryOrder {
  /** The number of tables whose first part was read. */
  tables = 0;
  private expected: readonly string[] = ['header'];

  accept(kind: ArchiveEntry['kind']): void {
    if (!this.expected.includes(kind)) throw damaged('its parts are in a wrong order');
    if (kind === 'table') this.tables += 1;
    this.expected =
      kind === 'end'
        ? []
        : kind === 'table' || kind === 'rows'
          ? ['rows', 'table_end']
          : ['table', 'end'];
  }

  assertEnded(): void {
    if (this.expected.length > 0) throw damaged('its end is missing');
  }
}

class ByteReader {
  private parts: Buffer[] = [];
  private available = 0;

  constructor(private readonly source: AsyncIterator<Buffer>) {}

  async take(length: number): Promise<Buffer> {
    while (this.available < length) {
      if (!(await this.readMore())) throw damaged('it ends too early');
    }
    const bytes = this.parts.length === 1 ? this.parts[0]! : Buffer.concat(this.parts);
    this.parts = [bytes.subarray(length)];
    this.available -= length;
    return bytes.subarray(0, length);
  }

  async isAtEnd(): Promise<boolean> {
    return this.available === 0 && !(await this.readMore());
  }

  private async readMore(): Promise<boolean> {
    const next = await this.source.next();
    if (next.done) return false;
    this.parts.push(next.value);
    this.available += next.value.length;
    return true;
  }
}
