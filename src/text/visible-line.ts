/** Matches control characters, marks that change the direction of text, and invisible tags. */
// oxlint-disable-next-line no-control-regex -- the regex must find them
const HIDDEN = /[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]+/gu;

/** Returns an untrusted text as one line that is safe to store and to show, cut to `max` characters. */
export function visibleLine(text: string, max: number): string {
  // The text is cut first, so that a very long text does not cost more work.
  return text.slice(0, max).toWellFormed().replaceAll(HIDDEN, ' ').trim();
}
