/** Limits the part of a text that is shown before a person asks for all of it. */
const MOST_CHARACTERS = 20_000;
const MOST_LINE_CHARACTERS = 2000;
const MOST_DEPTH = 30;

/** Returns a JSON value as text. Values that are nested too deeply are replaced, because their indent would fill lines. */
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

/** Returns the beginning of a text with short lines, or the text itself when it is short enough. */
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

// Matches characters that are not visible, or that change the order of those around them (Unicode UAX #9, UTS #39).
const HIDDEN = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Replaces invisible characters and those that change the order of text with their code, for example `⟨U+202E⟩`. */
export function revealHidden(text: string): string {
  return text.replace(
    HIDDEN,
    (character) =>
      `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
}
