/** Control characters but for line ends and tabs, marks that turn the direction of text, and the invisible "tags". */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;

/**
 * The name of the first character that people do not see, or not where it stands, and models read all the same;
 * undefined where there is none. For texts that are shown to models and that somebody may have copied from anywhere.
 */
export function hiddenCharacter(text: string): string | undefined {
  if (!text.isWellFormed()) return 'half of a surrogate pair';
  const [found] = HIDDEN.exec(text) ?? [];
  return (
    found && `the character U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
  );
}
