import { AppError } from '../../errors/app-error.js';
import { parseJsonExactly } from '../../http/request-body.js';
import { MAX_VALUE_BYTES, VALUE_LIMITS } from '../../text/value-size.js';

/**
 * The largest part of a list in one page, in bytes, so that it is parsed in a few milliseconds. One item may be larger.
 */
const MAX_PAGE_BYTES = 512 * 1024;
const MAX_PAGE_MEMBERS = 10_000;
const SPACE = 0x20;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/** The largest number of bytes of a list that one page reads. */
export const SLICE_BYTES = MAX_VALUE_BYTES + 1024;

/** Some items of a list. `next` is the position after the comma or the bracket that follows the last item. */
export interface ListSlice {
  readonly items: unknown[];
  readonly next: number;
  readonly isLast: boolean;
}

/**
 * Parses the first items of a part of a list. The part begins with an item, or with the end of the list, and the list
 * is valid JSON. With `batch`, the number of items is a multiple of the batch size, unless the list ends. Throws
 * `invalid_arguments` for an item of more than 1.5 MiB or 20,000 values.
 */
export function sliceList(bytes: Buffer, batch = 1): ListSlice {
  const { ends, isLast } = findItems(bytes, batch);
  if (ends.length === 0 && !isLast) {
    throw AppError.invalid(
      `An item of the list, or a batch of items, has more than ${MAX_VALUE_BYTES} bytes.`,
    );
  }
  const count = isLast ? ends.length : ends.length - (ends.length % batch);
  const end = ends[count - 1] ?? 0;
  const text = Buffer.concat([Buffer.from('['), bytes.subarray(0, end), Buffer.from(']')]);
  return { items: parseItems(text), next: end + 1, isLast };
}

/** Returns the positions at which items end. The bytes must be valid JSON. */
function findItems(bytes: Buffer, batch: number): { ends: number[]; isLast: boolean } {
  const ends: number[] = [];
  let depth = 0;
  let isEmpty = true;
  // Counts opening brackets, commas and colons. So the count may be larger than the number of members, but never
  // smaller.
  let members = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte <= SPACE) continue;
    const isEnd = depth === 0 && (byte === COMMA || isClosing(byte));
    if (isEnd) {
      const isLast = byte !== COMMA;
      if (!isEmpty) ends.push(at);
      const isTooMuch = at > MAX_VALUE_BYTES || members > VALUE_LIMITS.members;
      if (isTooMuch && ends.length > batch) return { ends: ends.slice(0, -1), isLast: false };
      const isFull = at >= MAX_PAGE_BYTES || members >= MAX_PAGE_MEMBERS;
      if (isLast || (isFull && ends.length >= batch)) return { ends, isLast };
    }
    isEmpty = false;
    if (byte === QUOTE) at = endOfText(bytes, at);
    else if (isClosing(byte)) depth -= 1;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      members += 1;
    } else if (byte === COMMA || byte === COLON) members += 1;
  }
  return { ends: ends.length >= batch ? ends : [], isLast: false };
}

function isClosing(byte: number): boolean {
  return byte === CLOSE_LIST || byte === CLOSE_OBJECT;
}

function endOfText(bytes: Buffer, quote: number): number {
  let at = quote + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

function parseItems(text: Buffer): unknown[] {
  try {
    return parseJsonExactly(text, VALUE_LIMITS) as unknown[];
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'too_complex') throw error;
    throw AppError.invalid(
      `An item of the list, or a batch of items, has more than ${VALUE_LIMITS.members} values, or is nested deeper than ` +
        `${VALUE_LIMITS.depth} levels.`,
    );
  }
}
