const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** The longest name of a member, in bytes of JSON. Expressions cannot have a longer name. */
const MAX_NAME_BYTES = 4096;

/** The place of a member of a list or object, in bytes. */
export interface ScannedMember {
  readonly index: number;
  readonly start: number;
  readonly end: number;
  /** The name of the member of an object, or undefined if it is very long. */
  readonly name?: string;
}

/**
 * Finds the members of one list or object in the bytes after its opening bracket. The bytes are valid JSON and come in
 * parts of any size.
 */
export class MemberScan {
  isDone = false;
  private depth = 0;
  private isInText = false;
  private isEscaped = false;
  /**
   * The position at which the current member begins, or -1 between members. In an object, it begins after the colon.
   */
  private start = -1;
  private nameBytes: number[] = [];
  private isInName: boolean;

  constructor(
    private readonly kind: 'list' | 'object',
    private at: number,
    private readonly found: (member: ScannedMember) => void,
    /** The index of the first member. */
    private index = 0,
  ) {
    this.isInName = kind === 'object';
  }

  /** Scans the next bytes. */
  feed(bytes: Uint8Array): void {
    for (let index = 0; index < bytes.length && !this.isDone; index += 1) {
      const byte = bytes[index]!;
      if (this.isInText) {
        this.scanText(byte);
        if (this.isInText && !this.isEscaped && !this.isInName) {
          while (index + 1 < bytes.length && isPlain(bytes[index + 1]!)) index += 1;
        }
      } else if (byte > SPACE) this.scanByte(byte, this.at + index);
    }
    this.at += bytes.length;
  }

  private scanText(byte: number): void {
    if (this.isInName && this.nameBytes.length <= MAX_NAME_BYTES) this.nameBytes.push(byte);
    if (this.isEscaped) this.isEscaped = false;
    else if (byte === BACKSLASH) this.isEscaped = true;
    else if (byte === QUOTE) this.isInText = false;
  }

  private scanByte(byte: number, at: number): void {
    if (this.depth === 0) {
      if (byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        return this.endMember(at, byte !== COMMA);
      }
      if (byte === COLON) {
        this.isInName = false;
        return;
      }
      if (!this.isInName && this.start < 0) this.start = at;
    }
    if (byte === QUOTE) {
      this.isInText = true;
      if (this.isInName) this.nameBytes = [QUOTE];
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.depth += 1;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.depth -= 1;
  }

  private endMember(at: number, isLast: boolean): void {
    this.isDone = isLast;
    const { index, start, kind } = this;
    if (start >= 0) {
      this.index += 1;
      const name = kind === 'object' ? nameOf(this.nameBytes) : undefined;
      this.found({ index, start, end: at, name });
    }
    this.start = -1;
    this.isInName = kind === 'object';
  }
}

function isPlain(byte: number): boolean {
  return byte !== QUOTE && byte !== BACKSLASH;
}

function nameOf(bytes: readonly number[]): string | undefined {
  if (bytes.length > MAX_NAME_BYTES) return undefined;
  return JSON.parse(Buffer.from(bytes).toString()) as string;
}
