import { endOfString } from './json-members.js';

/** Matches a large exponent, or more than 15 digits. Only numbers with one of these can lose digits in JavaScript. */
const MAY_BE_INEXACT = /[\d.]{16}|\d[eE][+-]?\d{3}/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * JavaScript keeps the digits of every number with at most this many digits, unless the number is too large or too
 * small.
 */
const ALWAYS_EXACT_DIGITS = 15;
/** The largest number of digits, without the zeros at both ends, of a number whose digits JavaScript keeps. */
const MOST_DIGITS = 17;
/**
 * The largest exponent, positive or negative, of the first digit with which JavaScript always keeps the digits of a
 * number.
 */
const ALWAYS_EXACT_POWER = 307;

const QUOTE = '"'.charCodeAt(0);
const MINUS = '-'.charCodeAt(0);
const PLUS = '+'.charCodeAt(0);
const POINT = '.'.charCodeAt(0);
const ZERO = '0'.charCodeAt(0);
const NINE = '9'.charCodeAt(0);
const COLON = ':'.charCodeAt(0);
const SPACES = new Set([...' \t\n\r'].map((space) => space.charCodeAt(0)));

/**
 * Replaces each number in a JSON text by a text of its digits, if JavaScript would lose some of these digits. A number
 * such as 12345678901234567890 would become 12345678901234567000, and 1e400 would become infinite. A text that is not
 * valid JSON stays invalid. Takes less than 0.1 s for 1 MiB.
 */
export function quoteInexactNumbers(json: string): string {
  if (!MAY_BE_INEXACT.test(json)) return json;
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    else if (isDigit(code) || code === MINUS) {
      const end = endOfNumber(json, at);
      const number = json.slice(at, end);
      if (!isExact(number) && NUMBER.test(number) && !isName(json, end)) {
        parts.push(json.slice(copied, at), `"${number}"`);
        copied = end;
      }
      at = end - 1;
    }
  }
  return copied === 0 ? json : parts.join('') + json.slice(copied);
}

/** Returns the digits that JavaScript prints for a number, without an exponent. */
export function numberText(value: number): string {
  const text = Object.is(value, -0) ? '0' : String(value);
  if (!text.includes('e')) return text;
  const { sign, digits, exponent } = decimalOf(text);
  if (exponent >= 0) return `${sign}${digits}${'0'.repeat(exponent)}`;
  return `${sign}0.${'0'.repeat(-exponent - digits.length)}${digits}`;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function isExponent(code: number): boolean {
  // The letters e and E differ in this bit only.
  return (code | 0x20) === 0x65;
}

/** Returns the position after the characters that a number can have. */
function endOfNumber(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    const isPart = isDigit(code) || code === POINT || code === MINUS || code === PLUS;
    if (!isPart && !isExponent(code)) return at;
  }
  return json.length;
}

/** Returns true when a colon follows. A number is no name in JSON, and must not become one. */
function isName(json: string, end: number): boolean {
  let at = end;
  while (SPACES.has(json.charCodeAt(at))) at += 1;
  return json.charCodeAt(at) === COLON;
}

/**
 * Returns true when `numberText` prints the same digits, or when the text is another common notation of the same
 * fraction. Some programs print 0.1 with 17 digits, as 0.10000000000000001.
 */
function isExact(number: string): boolean {
  const length = number.length;
  let point = -1;
  let first = -1;
  let last = -1;
  let at = 0;
  for (; at < length; at += 1) {
    const code = number.charCodeAt(at);
    if (code === POINT) point = at;
    else if (code > ZERO && code <= NINE) {
      if (first === -1) first = at;
      last = at;
    } else if (isExponent(code)) break;
  }
  if (first === -1) return true;
  if (point === -1) point = at;
  const count = last - first + (first < point && point < last ? 0 : 1);
  if (count > MOST_DIGITS) return false;
  const power = at === length ? 0 : Number(number.slice(at + 1));
  const firstPower = power + (first < point ? point - first - 1 : point - first);
  if (count <= ALWAYS_EXACT_DIGITS && Math.abs(firstPower) <= ALWAYS_EXACT_POWER) return true;
  const value = Number(number);
  if (!Number.isFinite(value)) return false;
  const digits = digitsOf(number, first, last + 1);
  const isPrinted = (text: string): boolean => digitsOf(text, 0, text.indexOf('e')) === digits;
  // Without an argument, the method prints the digits that `numberText` prints. With an argument, it rounds a half up.
  if (isPrinted(value.toExponential())) return true;
  if (count <= ALWAYS_EXACT_DIGITS || Number.isInteger(value)) return false;
  return isPrinted(value.toExponential(count - 1));
}

/** Returns the digits in a part of a number, without its sign and its point. */
function digitsOf(number: string, from: number, to: number): string {
  return number.slice(number.charCodeAt(from) === MINUS ? from + 1 : from, to).replace('.', '');
}

/** Splits a number into its sign, its digits without zeros at the ends, and the power of ten of the last digit. */
function decimalOf(text: string): { sign: string; digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e');
  const sign = mantissa.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = mantissa.slice(sign.length).split('.');
  const all = `${whole}${fraction}`;
  let end = all.length;
  while (end > 0 && all[end - 1] === '0') end -= 1;
  let begin = 0;
  while (begin < end && all[begin] === '0') begin += 1;
  return {
    sign,
    digits: all.slice(begin, end),
    exponent: Number(power) - fraction.length + all.length - end,
  };
}
