/** Matches the token of a link to a page of permission up to its signature, and then the signature, which may be cut. */
const TOKEN = /(org_[0-9A-Za-z]+\.con_[0-9A-Za-z]+\.msg_[0-9A-Za-z]+\.[a-z0-9_-]*\.)([\w-]+)/g;

/**
 * Replaces the signature in each link by which a contact decides what it gets, even in a cut one, so that the links open
 * nothing. The text keeps its length. Everyone who has such a link can decide for the contact, so only the message to
 * the contact contains it.
 */
export function hidePermissionSignatures(text: string): string {
  return text.replace(
    TOKEN,
    (_token, target: string, rest: string) => target + 'x'.repeat(rest.length),
  );
}
