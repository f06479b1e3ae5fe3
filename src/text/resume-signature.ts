/**
 * Matches two parts of a resume URL: the part that names the organization and the run, then the step and the signature.
 * The second part may be cut, and a system that decoded the URL may have left brackets and colons in it.
 */
const TOKEN = /(org_[0-9A-Za-z]+\.run_[0-9A-Za-z]+\.)([\w.%~!*()'[\]:-]+)/g;

/** The largest number of characters of a resume URL from its organization to its end. */
export const MAX_RESUME_TOKEN = 1000;

/**
 * Replaces the step and the signature in each resume URL, even in a URL that was cut, so that the URLs resume nothing.
 * The text keeps its length. Use it for readers that may not act on runs, because everyone who has a URL can resume its
 * step.
 */
export function hideResumeSignatures(text: string): string {
  return text.replace(TOKEN, (_token, run: string, rest: string) => run + 'x'.repeat(rest.length));
}
