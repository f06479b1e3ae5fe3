const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const OBJECT = '{'.charCodeAt(0);
const ARRAY = '['.charCodeAt(0);
const END_OF_OBJECT = '}'.charCodeAt(0);
const END_OF_ARRAY = ']'.charCodeAt(0);
const SPACE = ' '.charCodeAt(0);
const ZERO = '0'.charCodeAt(0);
const NINE = '9'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const COLON = ':'.charCodeAt(0);

/**
 * Returns true when a JSON text can have more than this number of members. When the function returns true for valid
 * JSON, the text has more than half of this number of members. Counts the commas and the opening brackets outside of
 * strings, in about 1 ms for 1 MB. Nothing is parsed, because the values of `[{},{},…]` take 22 times as much memory as
 * the text.
 */
export function mayHaveMoreMembers(json: string, most: number): boolean {
  // A text with at most `most` characters cannot have more than `most` commas and brackets.
  if (json.length <= most) return false;
  let members = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    else if (code === COMMA || code === OBJECT || code === ARRAY) {
      members += 1;
      if (members > most) return true;
    }
  }
  return false;
}

/**
 * Returns true when a JSON text has more than this number of different names. Each different name takes more than 1 µs
 * when the text is parsed. Nothing is parsed.
 */
export function hasMoreNames(json: string, most: number): boolean {
  // Each name takes at least four characters, for example `"":1`.
  if (json.length <= most * 4 || countNames(json, most) <= most) return false;
  const names = new Set<string>();
  let start = 0;
  let end = -1;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      start = at + 1;
      end = endOfString(json, at);
      at = end;
    } else if (code === COLON && end >= 0) {
      names.add(json.slice(start, end));
      if (names.size > most) return true;
      // Only invalid JSON has several colons after a string. Without this line, each colon would copy a long string.
      end = -1;
    }
  }
  return false;
}

/** Counts the names of a JSON text, also repeated ones. Stops above `most`. */
function countNames(json: string, most: number): number {
  let names = 0;
  for (let at = 0; at < json.length && names <= most; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    else if (code === COLON) names += 1;
  }
  return names;
}

/**
 * Counts the members of a JSON text and the levels to which it is nested. A name that an object repeats counts each
 * time. Stops when there are more than `most` members. The returned depth may then be smaller than the real depth.
 * Nothing is parsed, so the counts of invalid JSON mean nothing.
 */
export function measureMembers(json: string, most: number): { members: number; depth: number } {
  let members = 0;
  let level = 0;
  let depth = 0;
  let isFirst = false;
  for (let at = 0; at < json.length && members <= most; at += 1) {
    const code = json.charCodeAt(at);
    if (code <= SPACE) continue;
    if (code === OBJECT || code === ARRAY) {
      if (isFirst) members += 1;
      level += 1;
      if (level > depth) depth = level;
      isFirst = true;
      continue;
    }
    if (code === END_OF_OBJECT || code === END_OF_ARRAY) level -= 1;
    else if (isFirst || code === COMMA) members += 1;
    isFirst = false;
    if (code === QUOTE) at = endOfString(json, at);
  }
  return { members, depth };
}

/** Returns the position of the quote that ends the string which begins at `start`, or the end of the text. */
export function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end !== -1 && json.charCodeAt(end - 1) === BACKSLASH && isEscaped(json, end)) {
    end = json.indexOf('"', end + 1);
  }
  return end === -1 ? json.length : end;
}

function isEscaped(json: string, at: number): boolean {
  let backslashes = 0;
  while (json.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

/**
 * The limits of JSON that is parsed without a pause. Without these limits, a large number of small values would occupy
 * the process for seconds. The members are those that {@link mayHaveMoreMembers} counts, and every 25 digits of a
 * number count as one member.
 */
export const PARSE_LIMITS = { characters: 32 * 1024 * 1024, members: 400_000, names: 200_000 };
/**
 * Texts that together have at most this length are not examined, because they are parsed in about 0.1 s. The stored
 * envelope of a message may have this length.
 */
const UNCOUNTED_CHARACTERS = 1024 * 1024;

/**
 * The digits that count as one member. JavaScript writes no number with this many digits, but senders can. V8 takes as
 * long for a number of 768 digits as for dozens of usual numbers.
 */
const DIGITS_OF_MEMBER = 25;

/** Counts the characters, members and names of JSON texts, because the time of parsing depends on these numbers. */
export class ParseCost {
  private characters = 0;
  private members = 0;
  private names = 0;

  /**
   * Adds a text. Returns false when all texts together are above one of {@link PARSE_LIMITS}. Nothing is parsed. Texts
   * are not examined while they have together at most 1 MiB.
   */
  add(json: string): boolean {
    this.characters += json.length;
    if (this.characters <= UNCOUNTED_CHARACTERS) return true;
    if (this.characters > PARSE_LIMITS.characters) return false;
    this.count(json);
    return this.members <= PARSE_LIMITS.members && this.names <= PARSE_LIMITS.names;
  }

  clear(): void {
    this.characters = 0;
    this.members = 0;
    this.names = 0;
  }

  private count(json: string): void {
    for (let at = 0; at < json.length; at += 1) {
      const code = json.charCodeAt(at);
      if (code === QUOTE) at = endOfString(json, at);
      else if (code === COLON) this.names += 1;
      else if (code === COMMA || code === OBJECT || code === ARRAY) this.members += 1;
      else if (code >= ZERO && code <= NINE) {
        const end = endOfDigits(json, at);
        this.members += Math.floor((end - at) / DIGITS_OF_MEMBER);
        at = end - 1;
      }
    }
  }
}

function endOfDigits(json: string, start: number): number {
  let end = start + 1;
  for (; end < json.length; end += 1) {
    const code = json.charCodeAt(end);
    if (code < ZERO || code > NINE) break;
  }
  return end;
}

/** Returns true when a JSON text alone is above one of {@link PARSE_LIMITS}. */
export function isCostlyToParse(json: string): boolean {
  return !new ParseCost().add(json);
}
