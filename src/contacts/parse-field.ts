import { parsePhoneNumberFromString as parsePhoneNumber } from 'libphonenumber-js/max';
import type { Parsed } from '../text/parse-email.js';

const LONGEST_LOCALE = 64;

/** Accepts text of 1 to `longest` code points and returns it unchanged. */
export function parseText(text: string, longest: number): Parsed {
  // class-validator counts a character and its variation selector as one character, so its limits let twice the length
  // pass. PostgreSQL would then fail because the text is too long for an index.
  if (text.length > longest * 2 || [...text].length > longest || text === '') {
    return { fault: `must have 1 to ${longest} characters` };
  }
  return { value: text };
}

/**
 * Returns a phone number in E.164 form. Accepts only numbers that can exist in the numbering plan of their country: a wrong
 * digit would send messages to nobody, or to somebody else.
 */
export function parsePhone(text: string): Parsed {
  if (text.length > 40 || !/^\+[0-9 ()-]+$/.test(text)) {
    return { fault: 'must be a phone number in international form, such as +4930123456' };
  }
  const number = parsePhoneNumber(text);
  // E.164 allows 15 digits. Numbering plans of some countries allow more.
  return number?.isValid() && number.number.length <= 16
    ? { value: number.number }
    : { fault: 'must be a phone number that can exist in its country, such as +4930123456' };
}

/** Returns a language tag (BCP 47) in its canonical case. */
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

/** Accepts a name of the IANA time zone database and returns it unchanged. */
export function parseTimezone(text: string): Parsed {
  const fault = { fault: 'must be a time zone such as Europe/Berlin' };
  // Newer Node versions also accept offsets such as +02:00, which have no daylight saving time.
  if (!/^[A-Za-z][A-Za-z0-9/_+-]{0,63}$/.test(text)) return fault;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions();
    return timeZone ? { value: text } : fault;
  } catch {
    return fault;
  }
}
