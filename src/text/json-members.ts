const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const OBJECT = '{'.charCodeAt(0);
const ARRAY = '['.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const COLON = ':'.charCodeAt(0);

/**
 * Returns true when a JSON text can have more than this number of members. When the function returns true for valid
 * JSON, the text has more than half of this number. Counts the commas and the opening brackets outside of strings, in
 * about 1 ms for 1 MB. Nothing is parsed, because the values of `[{},{},…]` take 22 times as much memory as the text.
 */
export function mayHaveMoreMembers(json: string, most: number): boolean {
  // Each comma and bracket is a character, so a text of this length cannot have more of them.
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

/** Returns the position of the quote that ends the string which begins at `start`. */
function endOfString(json: string, start: number): number {
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
 * The limits of JSON that is parsed without a pause. Without them, small values in large numbers would occupy the
 * process for seconds. The members are those that {@link mayHaveMoreMembers} counts.
 */
export const PARSE_LIMITS = { characters: 32 * 1024 * 1024, members: 400_000, names: 200_000 };
/**
 * Texts of up to this length together are not examined. They are parsed in about 0.1 s, and the stored envelope of a
 * message may be as long.
 */
const UNCOUNTED_CHARACTERS = 1024 * 1024;

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
    }
  }
}

/** Returns true when a JSON text alone is above one of {@link PARSE_LIMITS}. */
export function isCostlyToParse(json: string): boolean {
  return !new ParseCost().add(json);
}
