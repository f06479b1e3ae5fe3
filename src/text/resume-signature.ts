/** Matches the part of a resume URL that names a run, and then its step and signature, which may be cut. */
const TOKEN = /(org_[0-9A-Za-z]+\.run_[0-9A-Za-z]+\.)([\w.%~!*()'-]+)/g;

/** A resume URL has at most this many characters from its organization to its end. */
export const MAX_RESUME_TOKEN = 1000;

/**
 * Replaces the step and the signature in each resume URL, also in a cut one. The URLs then resume nothing. The text keeps
 * its length. Use it for readers that may not act on runs, because everyone who has a URL can resume its step.
 */
export function hideResumeSignatures(text: string): string {
  return text.replace(TOKEN, (_token, run: string, rest: string) => run + 'x'.repeat(rest.length));
}
