import { isEmail } from 'class-validator';

/** A normalized value, or what is wrong with what was sent. */
export type Parsed = { value: string } | { fault: string };

const LONGEST_EMAIL = 254;
const LONGEST_LOCALE = 64;

/** Text of 1 to `longest` code points, unchanged. */
export function parseText(text: string, longest: number): Parsed {
  // Counted here as well: class-validator counts a character and its variation selector as one, so that text of
  // twice the length passes its limits, and what is too long for an index is an error of PostgreSQL.
  if (text.length > longest * 2 || [...text].length > longest || text === '') {
    return { fault: `must have 1 to ${longest} characters` };
  }
  return { value: text };
}

/** One plain address in lower case: no display name, no list, nothing quoted, no line breaks. */
export function parseEmail(text: string): Parsed {
  // Quoted local parts are legal and have been read as different mailboxes by different mailers.
  const isPlain = !/[\s"(),:;<>[\\\]\p{C}]/u.test(text);
  if (!isPlain || text.length > LONGEST_EMAIL || !isEmail(text)) {
    return { fault: `must be one e-mail address of at most ${LONGEST_EMAIL} characters` };
  }
  return { value: text.toLowerCase() };
}

/** A telephone number as E.164 writes it; spaces, dashes and parentheses after the plus are dropped. */
export function parsePhone(text: string): Parsed {
  const compact = `${text.slice(0, 1)}${text.slice(1).replace(/[ ()-]/g, '')}`;
  return text.length <= 40 && /^\+[1-9][0-9]{6,14}$/.test(compact)
    ? { value: compact }
    : { fault: 'must be a phone number in international form, such as +4930123456' };
}

/** A language tag (BCP 47) in its canonical case. */
export function parseLocale(text: string): Parsed {
  const fault = { fault: 'must be a language tag such as en or pt-BR' };
  if (text.length > LONGEST_LOCALE) return fault;
  try {
    const [value] = Intl.getCanonicalLocales(text);
    return value === undefined ? fault : { value };
  } catch {
    return fault;
  }
}

/** A name of the IANA time zone database, kept as it was sent. */
export function parseTimezone(text: string): Parsed {
  const fault = { fault: 'must be a time zone such as Europe/Berlin' };
  // Later versions of Node take offsets as well, which know no daylight saving time.
  if (!/^[A-Za-z][A-Za-z0-9/_+-]{0,63}$/.test(text)) return fault;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions();
    return timeZone ? { value: text } : fault;
  } catch {
    return fault;
  }
}
