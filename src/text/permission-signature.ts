/**
 * Matches the signature of a link for contacts, even a truncated signature. The part before the signature is a
 * lookbehind. Without it, a forged beginning of a link before a real link would consume a part of the real link, whose
 * signature would then not match.
 */
const SIGNATURE = /(?<=org_[0-9A-Za-z]+\.con_[0-9A-Za-z]+\.msg_[0-9A-Za-z]+\.[a-z0-9_-]*\.)[\w-]+/g;

/**
 * Replaces the signature in each link for contacts by `x`, even a truncated signature, so that the link is invalid. The
 * text keeps its length. Everyone who has such a link can decide for the contact, so only the message to the contact
 * contains the signature.
 */
export function hidePermissionSignatures(text: string): string {
  return text.replace(SIGNATURE, (signature) => 'x'.repeat(signature.length));
}
