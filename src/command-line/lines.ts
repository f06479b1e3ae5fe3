import { CommandError } from './command-error.js';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF_16_MARKS = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];

/** One line of a file, without its end. */
export interface Line {
  /** The number of the line. It counts from 1, as editors do. */
  readonly number: number;
  /** The bytes of the line. Undefined for a line of more than `maxBytes`, which is not kept. */
  readonly bytes: Buffer | undefined;
  /** The number of bytes of the file up to the end of this line. */
  readonly end: number;
}

/**
 * Splits a stream into lines that end with LF or CRLF, and skips a byte order mark. Keeps at most `maxBytes` and one chunk
 * in memory. Throws a {@link CommandError} for a file in UTF-16.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Line> {
  const line = new LineBuffer(maxBytes);
  let number = 1;
  let end = 0;
  for await (const given of chunks) {
    const chunk = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
    let from = 0;
    for (;;) {
      const at = chunk.indexOf(LINE_FEED, from);
      if (at < 0) break;
      line.add(chunk.subarray(from, at));
      end += at + 1 - from;
      yield { number, bytes: line.take(number === 1), end };
      number += 1;
      from = at + 1;
    }
    // Without this copy, the whole chunk would stay in memory as long as the part of its last line.
    line.add(Buffer.from(chunk.subarray(from)));
    end += chunk.length - from;
  }
  if (!line.isEmpty) yield { number, bytes: line.take(number === 1), end };
}

/** Collects the parts of a line. Drops them when the line becomes too long. */
class LineBuffer {
  private parts: Buffer[] = [];
  private length = 0;

  constructor(private readonly maxBytes: number) {}

  get isEmpty(): boolean {
    return this.length === 0;
  }

  add(part: Buffer): void {
    this.length += part.length;
    if (this.length > this.maxBytes) this.parts = [];
    else if (part.length > 0) this.parts.push(part);
  }

  /** Returns the line and begins the next one. */
  take(isFirst: boolean): Buffer | undefined {
    const isTooLong = this.length > this.maxBytes;
    const bytes = this.parts.length === 1 ? this.parts[0]! : Buffer.concat(this.parts);
    this.parts = [];
    this.length = 0;
    if (isTooLong) return undefined;
    const text = isFirst ? withoutMark(bytes) : bytes;
    return text.at(-1) === CARRIAGE_RETURN ? text.subarray(0, -1) : text;
  }
}

function withoutMark(bytes: Buffer): Buffer {
  if (UTF_16_MARKS.some((mark) => bytes.subarray(0, 2).equals(mark))) {
    throw new CommandError('The file is in UTF-16. Save it as UTF-8.');
  }
  return bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? bytes.subarray(3) : bytes;
}
