import { AppError } from '../errors/app-error.js';
import type { TakeTurn } from '../http/body-chunks.js';
import type { Encoding } from './import.entity.js';

/** The size of the sample, in bytes. A first row of any allowed length fits. */
const SAMPLE_BYTES = 512 * 1024;
const BLOCK_BYTES = 64 * 1024;
const ZIP = Buffer.from('PK\x03\x04', 'latin1');

/** Gives the bytes of a text file in an encoding that contains ASCII. */
export interface TextSource {
  /**
   * The encoding of the file. It is `utf-8` while all bytes so far are UTF-8. It changes when later bytes are not valid
   * UTF-8.
   */
  readonly encoding: Encoding;
  /** True if the sender has chosen the encoding or a byte order mark names it. */
  readonly isEncodingFixed: boolean;
  /** The first bytes of the file. */
  readonly sample: Buffer;
  /** All bytes without the byte order mark. Files in UTF-16 are converted to UTF-8. */
  readonly bytes: AsyncIterable<Buffer>;
  /** Returns the number of bytes that were read so far. */
  size(): number;
}

/**
 * Reads the beginning of a file and finds its encoding. After the last byte of the sample, waits for `takeTurn`: work
 * with the sample should follow immediately. Throws `payload_too_large` as soon as the file is too large.
 */
export async function openText(
  body: AsyncIterable<Buffer>,
  chosen: 'utf-8' | 'windows-1252' | undefined,
  mostBytes: number,
  takeTurn: TakeTurn,
): Promise<TextSource> {
  let size = 0;
  const blocks = inBlocks(body, (length) => {
    size += length;
    if (size <= mostBytes) return;
    throw new AppError(
      'payload_too_large',
      `The file is larger than ${mostBytes} bytes. Split it into smaller files.`,
    );
  });
  const began: Buffer[] = [];
  let sampled = 0;
  while (sampled < SAMPLE_BYTES) {
    const next = await blocks.next();
    if (next.done) break;
    began.push(next.value);
    sampled += next.value.length;
  }
  await takeTurn(sampled);
  const start = Buffer.concat(began);
  if (start.subarray(0, ZIP.length).equals(ZIP)) {
    throw AppError.invalid('The file is a spreadsheet or an archive. Save it as CSV in UTF-8.');
  }
  const { encoding, markLength } = byteOrderMark(start);
  const rest = joined(start.subarray(markLength), blocks);
  if (encoding === 'utf-16le' || encoding === 'utf-16be') {
    const label = encoding;
    return {
      encoding,
      isEncodingFixed: true,
      sample: Buffer.from(new TextDecoder(label).decode(start, { stream: true })),
      bytes: converted(rest, label),
      size: () => size,
    };
  }
  return {
    encoding: chosen ?? 'utf-8',
    isEncodingFixed: chosen !== undefined || encoding !== undefined,
    sample: start.subarray(markLength),
    bytes: rest,
    size: () => size,
  };
}

function byteOrderMark(bytes: Buffer): { encoding?: Encoding; markLength: number } {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) {
    return { encoding: 'utf-8', markLength: 3 };
  }
  if (first === 0xff && second === 0xfe) return { encoding: 'utf-16le', markLength: 2 };
  if (first === 0xfe && second === 0xff) return { encoding: 'utf-16be', markLength: 2 };
  return { markLength: 0 };
}

/** Joins small chunks, because each chunk costs time at every later stage. */
async function* inBlocks(
  body: AsyncIterable<Buffer>,
  count: (length: number) => void,
): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    count(chunk.length);
    waiting.push(chunk);
    length += chunk.length;
    if (length < BLOCK_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(waiting);
}

async function* joined(first: Buffer, others: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for (let at = 0; at < first.length; at += BLOCK_BYTES) yield first.subarray(at, at + BLOCK_BYTES);
  yield* others;
}

async function* converted(
  bytes: AsyncIterable<Buffer>,
  label: 'utf-16le' | 'utf-16be',
): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(label, { ignoreBOM: true });
  for await (const block of bytes) yield Buffer.from(decoder.decode(block, { stream: true }));
  yield Buffer.from(decoder.decode());
}
