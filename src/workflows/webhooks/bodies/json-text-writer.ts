import { AppError } from '../../../errors/app-error.js';
import type { Job } from '../../../turns/processor-turns.js';

/** The number of bytes that are written between two looks at the clock. Writing them takes less than a millisecond. */
const PIECE_BYTES = 16 * 1024;
/** The largest number of bytes that one byte becomes: a zero byte becomes \u0000, which has six. */
const MAX_GROWTH = 6;
const QUOTE = 0x22;
const PERCENT = 0x25;
const PLUS = 0x2b;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const SHORT_ESCAPES = new Map([
  [QUOTE, '\\"'],
  [BACKSLASH, '\\\\'],
  [0x0a, '\\n'],
  [0x0d, '\\r'],
  [0x09, '\\t'],
]);
const ESCAPES = Array.from({ length: 128 }, (_, byte) => {
  const short = SHORT_ESCAPES.get(byte);
  if (short !== undefined) return Buffer.from(short);
  return byte < SPACE ? Buffer.from(`\\u${byte.toString(16).padStart(4, '0')}`) : undefined;
});

export interface WrittenText {
  /** `form` decodes `+` and sequences such as `%20`, as in `application/x-www-form-urlencoded`. */
  readonly encoding: 'none' | 'form';
  /** The form of the result. `plain` means the text itself. */
  readonly as: 'json' | 'plain';
  readonly maxBytes: number;
}

/**
 * Writes UTF-8 text as the bytes of a JSON text, without building a string. It works in parts, because building a
 * string of several MiB would delay other requests too long.
 */
export class JsonTextWriter implements Job {
  private readonly parts: Buffer[] = [];
  private length = 0;
  private at = 0;

  constructor(
    private readonly bytes: Buffer,
    private readonly rules: WrittenText,
  ) {
    this.write(this.mark);
  }

  /** Writes the text. Throws `payload_too_large` when the result is larger than `maxBytes`. */
  run(endsAt: number): boolean {
    while (this.at < this.bytes.length) {
      this.writePiece();
      if (this.at < this.bytes.length && performance.now() >= endsAt) return false;
    }
    this.write(this.mark);
    return true;
  }

  /** The bytes. They are complete after {@link run} has returned true. */
  get result(): Buffer {
    return Buffer.concat(this.parts);
  }

  private get mark(): Buffer {
    return Buffer.from(this.rules.as === 'json' ? '"' : '');
  }

  private writePiece(): void {
    const { bytes, rules } = this;
    const isForm = rules.encoding === 'form';
    const isJson = rules.as === 'json';
    const end = Math.min(bytes.length, this.at + PIECE_BYTES);
    const piece = Buffer.allocUnsafe((end - this.at) * MAX_GROWTH);
    let size = 0;
    while (this.at < end) {
      let byte = bytes[this.at]!;
      this.at += 1;
      if (isForm && byte === PLUS) byte = SPACE;
      else if (isForm && byte === PERCENT) byte = this.unescape();
      const escape = isJson && byte < 128 ? ESCAPES[byte] : undefined;
      if (escape) size += escape.copy(piece, size);
      else {
        piece[size] = byte;
        size += 1;
      }
    }
    this.write(piece.subarray(0, size));
  }

  /** Decodes an escape. A percent sign without two digits stays as it is, as in browsers. */
  private unescape(): number {
    const digits = this.bytes.toString('latin1', this.at, this.at + 2);
    if (!/^[0-9a-fA-F]{2}$/.test(digits)) return PERCENT;
    this.at += 2;
    return Number.parseInt(digits, 16);
  }

  private write(part: Buffer): void {
    const { maxBytes } = this.rules;
    this.length += part.length;
    if (this.length > maxBytes) {
      throw new AppError(
        'payload_too_large',
        `As JSON, the body is larger than ${maxBytes} bytes. Send a smaller body.`,
      );
    }
    this.parts.push(part);
  }
}
