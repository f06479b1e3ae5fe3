/** The largest number of characters that are shown before a person asks for the whole text. */
const MOST_CHARACTERS = 20_000;
const MOST_LINE_CHARACTERS = 2000;
const MOST_DEPTH = 30;
/** The largest number of characters of a name, or of another line, that is shown beside other text. */
const MOST_NAME_CHARACTERS = 300;
const MOST_CHECKED = 100_000;

/** Returns a JSON value as text. Replaces values that are nested too deeply, because their indent would fill lines. */
export function formatJson(value: unknown, mostDepth = MOST_DEPTH): string {
  return JSON.stringify(cutDepth(value, mostDepth), null, 2) ?? 'undefined';
}

/** Returns true when `formatJson` leaves something out. */
export function isTooDeep(value: unknown, depth = MOST_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((each) => isTooDeep(each, depth - 1));
}

function cutDepth(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return Array.isArray(value) ? '[…]' : '{…}';
  if (Array.isArray(value)) return value.map((each: unknown) => cutDepth(each, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, cutDepth(each, depth - 1)]),
  );
}

/** Returns the beginning of a text, with the end of each long line cut off. Returns a short text unchanged. */
export function cutText(text: string): string {
  if (text.length <= MOST_LINE_CHARACTERS) return text;
  const lines = text.slice(0, MOST_CHARACTERS).split('\n');
  return lines
    .map((line) =>
      line.length > MOST_LINE_CHARACTERS ? `${line.slice(0, MOST_LINE_CHARACTERS)}…` : line,
    )
    .join('\n')
    .toWellFormed();
}

// Matches characters that are not visible, or that change the order of the characters around them (Unicode UAX #9, UTS
// #39).
const HIDDEN = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** Matches the last character, which may have two UTF-16 code units. */
const LAST = /.$/su;
const JOINER = /[\u200c\u200d]/;
const VARIANT = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;
/** Matches characters that a joiner can follow: letters of the scripts that use joiners, and the parts of an emoji. */
const JOINS =
  /^(?:(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hangul}])[\p{L}\p{M}]|\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u;
/** Matches the characters that a variation selector cannot follow. */
const NO_VARIANT =
  /^(?:|\s|[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}])$/u;

/**
 * Replaces each character that is invisible or changes the order of text by its code, for example `⟨U+202E⟩`.
 * Joiners and variation selectors stay where the writing of a language or an emoji needs them.
 */
export function revealHidden(text: string): string {
  return text.replace(HIDDEN, (character, at: number) => {
    const [before = ''] = LAST.exec(text.slice(Math.max(0, at - 2), at)) ?? [];
    if (JOINER.test(character) && JOINS.test(before)) return character;
    if (VARIANT.test(character) && !NO_VARIANT.test(before)) return character;
    return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/** Returns true when a text has a character that {@link revealHidden} replaces, in its first 100,000 characters. */
export function hasHidden(text: string): boolean {
  const start = text.slice(0, MOST_CHECKED);
  return revealHidden(start) !== start;
}

/**
 * Returns a text from outside as one line that is safe to show beside other text. The line is empty when the text has
 * no visible character.
 */
export function foreignLine(text: string, most = MOST_NAME_CHARACTERS): string {
  const start = text.length > most ? `${text.slice(0, most)}…` : text;
  return revealHidden(start.toWellFormed().replaceAll(/\s+/g, ' ').trim());
}

/** Splits a text into parts of at most 20,000 characters. A part ends at the end of a line where possible. */
export function splitText(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  while (text.length - start > MOST_CHARACTERS) {
    // The look-up ends at the start of the part. Otherwise, in a text of one line, the look-up would read all earlier
    // parts again.
    const lines = text.slice(start, start + MOST_CHARACTERS).lastIndexOf('\n') + 1;
    let end = start + (lines > 0 ? lines : MOST_CHARACTERS);
    // A surrogate pair must not be divided between two parts.
    if (isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    parts.push(text.slice(start, end));
    start = end;
  }
  return [...parts, text.slice(start)];
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
