/**
 * Gets the bytes of a text one by one. Each byte stands for the part of the text that begins at `begin` and ends just
 * before `end`.
 */
export type ByteSink = (byte: number, begin: number, end: number) => void;

/** The bytes that an escape stands for, `more` for an incomplete escape, or `none` for bytes that are not an escape. */
type Decoded = readonly number[] | 'more' | 'none';

const PERCENT = 0x25;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
/** The characters that may follow a backslash in JSON, and the characters that these escapes stand for. */
const JSON_ESCAPES = new Map(
  [...'"\\/bfnrt'].map((character, at) => [
    character.charCodeAt(0),
    [...'"\\/\b\f\n\r\t'][at]!.charCodeAt(0),
  ]),
);

/** The value of each byte as a hexadecimal digit, or -1. */
const DIGITS = Int8Array.from({ length: 256 }, (_, byte) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(byte).toLowerCase()),
);

/**
 * Encodes a part of a text in UTF-8, and gives each byte to the sink. The part has the characters that begin at `from`
 * or later, and before `to`. Returns the position at which the next character begins.
 */
export function readText(text: string, from: number, to: number, sink: ByteSink): number {
  let at = from;
  while (at < to) {
    const point = text.codePointAt(at)!;
    const end = at + (point > 0xffff ? 2 : 1);
    if (point < 0x80) sink(point, at, end);
    else for (const byte of utf8(point)) sink(byte, at, end);
    at = end;
  }
  return at;
}

/**
 * Returns a sink that decodes escapes such as `%2B`, and gives the bytes to `next`. It allocates nothing, because URLs
 * have many escapes.
 */
export function percentDecoder(next: ByteSink): ByteSink {
  /** The number of bytes that are kept back: the percent sign, and a digit. */
  let waiting = 0;
  let percentBegin = 0;
  let percentEnd = 0;
  let high = 0;
  let highBegin = 0;
  let highEnd = 0;
  const push: ByteSink = (byte, begin, end) => {
    if (waiting === 0) {
      if (byte !== PERCENT) {
        next(byte, begin, end);
        return;
      }
      waiting = 1;
      percentBegin = begin;
      percentEnd = end;
      return;
    }
    const isDigit = DIGITS[byte]! >= 0;
    if (isDigit && waiting === 1) {
      waiting = 2;
      high = byte;
      highBegin = begin;
      highEnd = end;
      return;
    }
    const hadDigit = waiting === 2;
    waiting = 0;
    if (isDigit) {
      next(DIGITS[high]! * 16 + DIGITS[byte]!, percentBegin, end);
      return;
    }
    next(PERCENT, percentBegin, percentEnd);
    if (hadDigit) next(high, highBegin, highEnd);
    push(byte, begin, end);
  };
  return push;
}

/**
 * Returns a sink that decodes escapes such as `\"` and `\u002b`, and gives the bytes to `next`. The sink keeps the
 * bytes of an escape back until the escape is complete. Other bytes are not changed.
 */
export function jsonDecoder(next: ByteSink): ByteSink {
  let bytes: number[] = [];
  let begins: number[] = [];
  let ends: number[] = [];
  const push: ByteSink = (byte, begin, end) => {
    if (bytes.length === 0 && byte !== BACKSLASH) {
      next(byte, begin, end);
      return;
    }
    bytes.push(byte);
    begins.push(begin);
    ends.push(end);
    const decoded = decodeJson(bytes);
    if (decoded === 'more') return;
    const [kept, from, to] = [bytes, begins, ends];
    [bytes, begins, ends] = [[], [], []];
    if (decoded === 'none') {
      next(kept[0]!, from[0]!, to[0]!);
      for (let at = 1; at < kept.length; at += 1) push(kept[at]!, from[at]!, to[at]!);
    } else {
      for (const one of decoded) next(one, from[0]!, end);
    }
  };
  return push;
}

/** Returns a sink that gives every byte to each of the sinks. */
export function toAll(sinks: readonly ByteSink[]): ByteSink {
  return (byte, begin, end) => {
    for (const sink of sinks) sink(byte, begin, end);
  };
}

function decodeJson(bytes: readonly number[]): Decoded {
  const [, kind] = bytes;
  if (kind === undefined) return 'more';
  const escaped = JSON_ESCAPES.get(kind);
  if (escaped !== undefined) return [escaped];
  if (kind !== LETTER_U) return 'none';
  const unit = hexadecimal(bytes, 2, 6);
  if (unit < 0) return 'none';
  if (bytes.length < 6) return 'more';
  if (unit < 0xd800 || unit > 0xdbff) return utf8(unit);
  // The unit is a high surrogate. The escape of its low surrogate must follow.
  const low = hexadecimal(bytes, 8, 12);
  const isPair = (bytes[6] ?? BACKSLASH) === BACKSLASH && (bytes[7] ?? LETTER_U) === LETTER_U;
  if (!isPair || low < 0) return 'none';
  if (bytes.length < 12) return 'more';
  return utf8(0x10000 + ((unit - 0xd800) << 10) + ((low - 0xdc00) & 0x3ff));
}

/** Returns the value of the hexadecimal digits up to the end of `bytes`, or -1 if one of them is not a digit. */
function hexadecimal(bytes: readonly number[], from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to && at < bytes.length; at += 1) {
    const digit = DIGITS[bytes[at]!]!;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

function utf8(point: number): number[] {
  if (point < 0x80) return [point];
  if (point < 0x800) return [0xc0 | (point >> 6), 0x80 | (point & 0x3f)];
  const rest = [0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f)];
  if (point < 0x10000) return [0xe0 | (point >> 12), ...rest];
  return [0xf0 | (point >> 18), 0x80 | ((point >> 12) & 0x3f), ...rest];
}
