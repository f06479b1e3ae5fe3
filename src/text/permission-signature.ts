/**
 * Matches the signature of a link to a page of permission, which may be cut. The part before it is a look-behind, so a
 * forged beginning in front of a link hides nothing of the link from this expression.
 */
const SIGNATURE = /(?<=org_[0-9A-Za-z]+\.con_[0-9A-Za-z]+\.msg_[0-9A-Za-z]+\.[a-z0-9_-]*\.)[\w-]+/g;

/**
 * Replaces the signature in each link by which a contact decides what it gets, even in a cut one, so that the links open
 * nothing. The text keeps its length. Everyone who has such a link can decide for the contact, so only the message to
 * the contact contains it.
 */
export function hidePermissionSignatures(text: string): string {
  return text.replace(SIGNATURE, (signature) => 'x'.repeat(signature.length));
}
