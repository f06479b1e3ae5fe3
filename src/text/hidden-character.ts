/** Matches invisible tags, marks that change the direction of text, and control characters except newline and tab. */
// oxlint-disable-next-line no-control-regex -- the regex must find them
const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;

/**
 * Returns the name of the first character that people cannot see but models read, or undefined. Copied texts could hide
 * instructions for models in invisible characters.
 */
export function hiddenCharacter(text: string): string | undefined {
  if (!text.isWellFormed()) return 'half of a surrogate pair';
  const [found] = HIDDEN.exec(text) ?? [];
  return (
    found && `the character U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
  );
}
