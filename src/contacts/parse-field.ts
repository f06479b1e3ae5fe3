import {
  type CountryCode,
  parsePhoneNumberFromString as parsePhoneNumber,
} from 'libphonenumber-js/max';
import type { Parsed } from '../text/parse-email.js';

/** The largest length of the locale of a contact. */
export const LONGEST_LOCALE = 64;
/** The largest number of remembered results. There are about 600 names of time zones. */
const MOST_REMEMBERED = 1000;
const INTERNATIONAL = /^\+[0-9 ()-]+$/;
const NATIONAL = /^[0-9 ()/.-]+$/;
const OLD_BRAZILIAN = /^\+55(\d\d)([6-9]\d{7})$/;

/** Accepts text of 1 to `longest` code points and returns it unchanged. */
export function parseText(text: string, longest: number): Parsed {
  // class-validator counts a character and its variation selector as one character. So its limits accept twice the
  // length, and PostgreSQL would fail because the text is too long for an index.
  if (text.length > longest * 2 || [...text].length > longest || text === '') {
    return { fault: `must have 1 to ${longest} characters` };
  }
  return { value: text };
}

/**
 * Returns a phone number in E.164 form. The national form is accepted with a region. Accepts only numbers that can
 * exist in the numbering plan of their country: a wrong digit would send messages to nobody, or to somebody else.
 */
export function parsePhone(text: string, region: CountryCode | null): Parsed {
  const form = region === null || text.startsWith('+') ? INTERNATIONAL : NATIONAL;
  if (text.length > 40 || !form.test(text)) {
    return {
      fault:
        region === null
          ? 'must be a phone number in international form, such as +4930123456'
          : `must be a phone number, such as +4930123456, or in national form of ${region}`,
    };
  }
  const number = parsePhoneNumber(text, region ?? undefined);
  const found = number && withNinthDigit(number.number);
  // A number in international form is read only once, because reading takes most of the time.
  const read = found === undefined || found === text ? number : parsePhoneNumber(found);
  // E.164 allows 15 digits. Numbering plans of some countries allow more.
  return found !== undefined && read?.isValid() && found.length <= 16
    ? { value: found }
    : { fault: 'must be a phone number that can exist in its country, such as +4930123456' };
}

/**
 * Adds the digit 9 that Brazil put before its mobile numbers in 2012 to 2016. Other systems still report numbers
 * without it, and both belong to one person. Numbers of the old form that still exist stay as they are.
 */
function withNinthDigit(number: string): string {
  const [, area, rest] = OLD_BRAZILIAN.exec(number) ?? [];
  if (area === undefined || parsePhoneNumber(number)?.isValid()) return number;
  return `+55${area}9${rest}`;
}

/** Returns a language tag (BCP 47) in its canonical case. */
export const parseLocale = remembered(readLocale);

/**
 * Accepts a name of the IANA time zone database. Returns the full name for an abbreviation, and any other name
 * unchanged. PostgreSQL reads abbreviations such as IST and CET as other zones than Node.js.
 */
export const parseTimezone = remembered(readTimezone);

/**
 * Returns a function that remembers the results of accepted texts. Without this function, the check of the time zone
 * would take longer than all other work for a row of an import.
 */
function remembered(parse: (text: string) => Parsed): (text: string) => Parsed {
  const accepted = new Map<string, Parsed>();
  return (text) => {
    const known = accepted.get(text);
    if (known) return known;
    const parsed = parse(text);
    if ('value' in parsed && accepted.size < MOST_REMEMBERED) accepted.set(text, parsed);
    return parsed;
  };
}

function readLocale(text: string): Parsed {
  const fault = { fault: 'must be a language tag such as en or pt-BR' };
  if (text.length > LONGEST_LOCALE) return fault;
  try {
    const [value] = Intl.getCanonicalLocales(text);
    return value === undefined ? fault : { value };
  } catch {
    return fault;
  }
}

function readTimezone(text: string): Parsed {
  const fault = { fault: 'must be a time zone such as Europe/Berlin' };
  // Newer Node versions also accept offsets such as +02:00, which have no daylight saving time.
  if (!/^[A-Za-z][A-Za-z0-9/_+-]{0,63}$/.test(text)) return fault;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions();
    if (!timeZone) return fault;
    const isFull = text.includes('/') || ['UTC', 'GMT'].includes(text.toUpperCase());
    return { value: isFull ? text : timeZone };
  } catch {
    return fault;
  }
}
