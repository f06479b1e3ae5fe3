import { isEmail } from 'class-validator';

/** Holds a normalized value, or the fault of the value that was sent. */
export type Parsed = { value: string } | { fault: string };

const LONGEST_EMAIL = 254;

/** Returns one plain address in lowercase. Rejects display names, lists, quoted parts and line breaks. */
export function parseEmail(text: string): Parsed {
  // Quoted local parts are legal, but two mail servers may read the same address as different mailboxes.
  const isPlain = !/[\s"(),:;<>[\\\]\p{C}]/u.test(text);
  if (!isPlain || text.length > LONGEST_EMAIL || !isEmail(text)) {
    return { fault: `must be one e-mail address of at most ${LONGEST_EMAIL} characters` };
  }
  return { value: text.toLowerCase() };
}
