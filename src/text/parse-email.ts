import { isEmail } from 'class-validator';
import { unicodeDomain } from './domain-forms.js';

/** A normalized value, or the fault of the value that was sent. */
export type Parsed = { value: string } | { fault: string };

const LONGEST_EMAIL = 254;

/**
 * Returns one plain address in the form of {@link normalizeEmail}. Rejects display names, lists, quoted parts and line
 * breaks.
 */
export function parseEmail(text: string): Parsed {
  // Quoted local parts are legal, but two mail servers may read the same address as different mailboxes.
  const isPlain = !/[\s"(),:;<>[\\\]\p{C}]/u.test(text);
  const value = text.length <= LONGEST_EMAIL ? normalizeEmail(text) : '';
  if (!isPlain || !isEmail(value)) {
    return { fault: `must be one e-mail address of at most ${LONGEST_EMAIL} characters` };
  }
  return { value };
}

/**
 * Returns an address in lowercase, with its domain in Unicode (UTS #46). Without this, one mailbox would have
 * several addresses, such as one with `xn--` labels or other full stops. Returns any other text in lowercase.
 */
export function normalizeEmail(text: string): string {
  const at = text.lastIndexOf('@') + 1;
  if (at === 0) return text.toLowerCase();
  const domain = text.slice(at);
  return `${text.slice(0, at)}${unicodeDomain(domain) || domain}`.toLowerCase();
}
