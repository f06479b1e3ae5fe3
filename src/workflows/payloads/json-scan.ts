import { AppError } from '../../errors/app-error.js';

/**
 * The smallest size of a recorded value, in bytes. Smaller values are not recorded, so that the number of recorded
 * values has a limit.
 */
export const MIN_RECORDED_BYTES = 4096;
/** The number of bytes after which the clock is read. Scanning this number of bytes takes less than a millisecond. */
const PIECE_BYTES = 16 * 1024;
const MAX_PRIMITIVE_BYTES = 1000;
const PRIMITIVE = /^(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$/;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const ESCAPED = new Set([...'"\\/bfnrt'].map((character) => character.charCodeAt(0)));

/**
 * The place of a value in a JSON text, in bytes. `members` is the number of members that the value has at all depths.
 */
export interface ScannedValue {
  readonly kind: 'list' | 'object' | 'text';
  readonly start: number;
  readonly end: number;
  readonly members: number;
  /** The number of items of a list. */
  readonly items: number;
}

interface Open {
  readonly isList: boolean;
  readonly start: number;
  /** The number of members that were seen before this value. */
  readonly before: number;
  items: number;
}

/** The token that the scanner expects next. */
type Expected = 'value' | 'first' | 'key' | 'firstKey' | 'colon' | 'next' | 'end';

/**
 * Checks a JSON text (RFC 8259) without building its values, in steps, so that other work can run between them. The
 * bytes must be valid UTF-8. Records the places of lists, objects and texts of at least 4 KiB, each after the values
 * inside of it.
 */
export class JsonScan {
  readonly values: ScannedValue[] = [];
  members = 0;
  private at: number;
  private expected: Expected = 'value';
  private readonly open: Open[] = [];
  /** The position at which the scanned text begins, or -1. */
  private textStart = -1;
  private isKey = false;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly limits: { readonly depth: number; readonly members: number },
  ) {
    // A byte order mark may precede JSON.
    this.at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  }

  /**
   * Scans at least one piece, and stops at `endsAt`. Returns true at the end of the text. Throws `invalid_json`, and
   * `too_complex` for a text that is nested too deep, has too many members, or a number of more than 1,000 characters.
   */
  run(endsAt: number): boolean {
    const { length } = this.bytes;
    while (this.at < length) {
      this.scan(Math.min(length, this.at + PIECE_BYTES));
      if (this.at < length && performance.now() >= endsAt) return false;
    }
    if (this.expected !== 'end') throw invalid();
    return true;
  }

  private scan(end: number): void {
    const { bytes } = this;
    while (this.at < end) {
      if (this.textStart >= 0) this.scanText(end);
      else {
        const byte = bytes[this.at]!;
        if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) this.at += 1;
        else this.scanToken(byte);
      }
    }
  }

  private scanToken(byte: number): void {
    const { expected } = this;
    if (byte === COMMA) {
      if (expected !== 'next') throw invalid();
      this.expected = this.open.at(-1)!.isList ? 'value' : 'key';
      this.at += 1;
    } else if (byte === COLON) {
      if (expected !== 'colon') throw invalid();
      this.expected = 'value';
      this.at += 1;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.close(byte === CLOSE_LIST);
    else if (byte === QUOTE && (expected === 'key' || expected === 'firstKey'))
      this.beginText(true);
    else if (expected !== 'value' && expected !== 'first') throw invalid();
    else if (byte === QUOTE) this.beginText(false);
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.begin(byte === OPEN_LIST);
    else this.scanPrimitive();
  }

  private begin(isList: boolean): void {
    const { open, limits } = this;
    if (open.length >= limits.depth) {
      throw new AppError('too_complex', `The body is nested deeper than ${limits.depth} levels.`);
    }
    this.count();
    open.push({ isList, start: this.at, before: this.members, items: 0 });
    this.expected = isList ? 'first' : 'firstKey';
    this.at += 1;
  }

  private close(isList: boolean): void {
    const { expected } = this;
    const closed = this.open.at(-1);
    const mayEnd = expected === 'next' || expected === (isList ? 'first' : 'firstKey');
    if (!closed || closed.isList !== isList || !mayEnd) throw invalid();
    this.open.pop();
    this.at += 1;
    const { start, before, items } = closed;
    this.record(isList ? 'list' : 'object', start, this.members - before, items);
    this.endValue();
  }

  private beginText(isKey: boolean): void {
    this.isKey = isKey;
    this.textStart = this.at;
    this.at += 1;
  }

  private scanText(end: number): void {
    const { bytes } = this;
    let { at } = this;
    for (; at < end; at += 1) {
      const byte = bytes[at]!;
      if (byte === QUOTE) {
        this.at = at + 1;
        this.endText();
        return;
      }
      if (byte === BACKSLASH) at += this.escapeLength(at);
      else if (byte < 0x20) throw invalid();
    }
    this.at = at;
  }

  /** Returns the number of bytes that the escape at `at` has after its backslash. */
  private escapeLength(at: number): number {
    const { bytes } = this;
    const byte = bytes[at + 1];
    if (byte === undefined) throw invalid();
    if (ESCAPED.has(byte)) return 1;
    const digits = String.fromCharCode(...bytes.subarray(at + 2, at + 6));
    if (byte !== 0x75 || !/^[0-9a-fA-F]{4}$/.test(digits)) throw invalid();
    return 5;
  }

  private endText(): void {
    const { textStart, isKey } = this;
    this.textStart = -1;
    if (isKey) {
      this.expected = 'colon';
      return;
    }
    this.count();
    this.record('text', textStart, 0, 0);
    this.endValue();
  }

  private scanPrimitive(): void {
    const { bytes, at: start } = this;
    let end = start;
    while (end < bytes.length && !isEnd(bytes[end]!)) {
      end += 1;
      if (end - start > MAX_PRIMITIVE_BYTES) {
        throw new AppError(
          'too_complex',
          `The body is not JSON, or has a number of more than ${MAX_PRIMITIVE_BYTES} characters.`,
        );
      }
    }
    const text = String.fromCharCode(...bytes.subarray(start, end));
    if (!PRIMITIVE.test(text)) throw invalid();
    this.at = end;
    this.count();
    this.endValue();
  }

  /** Counts a value as a member of the value around it. */
  private count(): void {
    const around = this.open.at(-1);
    if (!around) return;
    around.items += 1;
    this.members += 1;
    const { members } = this.limits;
    if (this.members > members) {
      throw new AppError('too_complex', `The body has more than ${members} values.`);
    }
  }

  private record(kind: ScannedValue['kind'], start: number, members: number, items: number): void {
    const end = this.at;
    if (end - start < MIN_RECORDED_BYTES) return;
    this.values.push({ kind, start, end, members, items });
  }

  private endValue(): void {
    this.expected = this.open.length === 0 ? 'end' : 'next';
  }
}

function isEnd(byte: number): boolean {
  return (
    byte <= 0x20 || byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT || byte === COLON
  );
}

function invalid(): AppError {
  return new AppError('invalid_json', 'The body is not JSON in UTF-8.');
}
