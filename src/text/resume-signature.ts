/** A signature is 64 hexadecimal digits after the organization, the run and the step. */
const SIGNATURE = /\.[0-9a-f]{64}(?![0-9a-f])/g;
/** The step of a resume URL, with its loops, has at most 200 characters, which are encoded with at most three each. */
const MAX_BEFORE = 800;
const HIDDEN = '.hidden';

/**
 * Removes the signatures of resume URLs from a text. The URLs then resume nothing. Use it for readers that may not act
 * on runs, because everyone who has a complete URL can resume its step.
 */
export function hideResumeSignatures(text: string): string {
  return text.replace(SIGNATURE, (signature, at: number) => {
    const before = text.slice(Math.max(0, at - MAX_BEFORE), at);
    return before.includes('org_') && before.includes('.run_') ? HIDDEN : signature;
  });
}
