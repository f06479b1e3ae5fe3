/** Gets the bytes of a text one by one. Each byte stands for the part of the text from `begin` to before `end`. */
export type ByteSink = (byte: number, begin: number, end: number) => void;

/** The bytes that an escape stands for. `more` when the bytes may begin an escape, `none` when they do not. */
type Decoded = readonly number[] | 'more' | 'none';

const PERCENT = 0x25;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
/** The characters after a backslash in JSON, and what they stand for. */
const JSON_ESCAPES = new Map(
  [...'"\\/bfnrt'].map((character, at) => [
    character.charCodeAt(0),
    [...'"\\/\b\f\n\r\t'][at]!.charCodeAt(0),
  ]),
);

/** Gives the bytes of a text in UTF-8 to the sink. */
export function readText(text: string, sink: ByteSink): void {
  for (let at = 0; at < text.length;) {
    const point = text.codePointAt(at)!;
    const end = at + (point > 0xffff ? 2 : 1);
    if (point < 0x80) sink(point, at, end);
    else for (const byte of utf8(point)) sink(byte, at, end);
    at = end;
  }
}

/** Returns a sink that gives `next` the bytes with `%2B` decoded. */
export function percentDecoder(next: ByteSink): ByteSink {
  return decoder(PERCENT, decodePercent, next);
}

/** Returns a sink that gives `next` the bytes with `\"` and `\u002b` decoded. */
export function jsonDecoder(next: ByteSink): ByteSink {
  return decoder(BACKSLASH, decodeJson, next);
}

/** Returns a sink that gives every byte to each of the sinks. */
export function toAll(sinks: readonly ByteSink[]): ByteSink {
  return (byte, begin, end) => {
    for (const sink of sinks) sink(byte, begin, end);
  };
}

/** Keeps the bytes of an escape back until it is complete. Bytes that are no escape stay as they are. */
function decoder(
  first: number,
  decode: (bytes: readonly number[]) => Decoded,
  next: ByteSink,
): ByteSink {
  let waiting: [byte: number, begin: number, end: number][] = [];
  const push: ByteSink = (byte, begin, end) => {
    if (waiting.length === 0 && byte !== first) {
      next(byte, begin, end);
      return;
    }
    waiting.push([byte, begin, end]);
    const decoded = decode(waiting.map(([one]) => one));
    if (decoded === 'more') return;
    const [begun, ...rest] = waiting as [[number, number, number], ...typeof waiting];
    waiting = [];
    if (decoded === 'none') {
      next(...begun);
      for (const one of rest) push(...one);
    } else {
      for (const one of decoded) next(one, begun[1], end);
    }
  };
  return push;
}

function decodePercent([, ...digits]: readonly number[]): Decoded {
  const value = hexadecimal(digits);
  if (value === undefined) return 'none';
  return digits.length < 2 ? 'more' : [value];
}

function decodeJson(bytes: readonly number[]): Decoded {
  const [, kind] = bytes;
  if (kind === undefined) return 'more';
  const escaped = JSON_ESCAPES.get(kind);
  if (escaped !== undefined) return [escaped];
  if (kind !== LETTER_U) return 'none';
  const unit = hexadecimal(bytes.slice(2, 6));
  if (unit === undefined) return 'none';
  if (bytes.length < 6) return 'more';
  if (unit < 0xd800 || unit > 0xdbff) return utf8(unit);
  // A second escape follows, which has the other half of the character.
  const low = hexadecimal(bytes.slice(8, 12));
  const isPair = (bytes[6] ?? BACKSLASH) === BACKSLASH && (bytes[7] ?? LETTER_U) === LETTER_U;
  if (!isPair || low === undefined) return 'none';
  if (bytes.length < 12) return 'more';
  return utf8(0x10000 + ((unit - 0xd800) << 10) + ((low - 0xdc00) & 0x3ff));
}

/** Returns the value of hexadecimal digits, 0 for none, or undefined if one is not a digit. */
function hexadecimal(digits: readonly number[]): number | undefined {
  const text = String.fromCharCode(...digits);
  if (!/^[0-9a-f]*$/i.test(text)) return undefined;
  return text === '' ? 0 : Number.parseInt(text, 16);
}

function utf8(point: number): number[] {
  if (point < 0x80) return [point];
  if (point < 0x800) return [0xc0 | (point >> 6), 0x80 | (point & 0x3f)];
  const rest = [0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f)];
  if (point < 0x10000) return [0xe0 | (point >> 12), ...rest];
  return [0xf0 | (point >> 18), 0x80 | ((point >> 12) & 0x3f), ...rest];
}
