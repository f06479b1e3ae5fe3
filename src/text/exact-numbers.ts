/** Matches a large exponent, or more than 15 digits. Only numbers with one of these can lose digits in JavaScript. */
const MAY_BE_INEXACT = /[\d.]{16}|\d[eE][+-]?\d{3}/;
/**
 * Matches a number that JavaScript keeps exactly, which saves a slower check. A text of 1 MiB can have a quarter of a
 * million numbers.
 */
const SURELY_EXACT = /^-?[\d.]{1,15}(?:[eE][+-]?\d{1,2})?$/;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Replaces each number in a JSON text by a text of its digits, if JavaScript would lose some of these digits. A number
 * such as 12345678901234567890 would become 12345678901234567000, and 1e400 would become infinite. The JSON text must
 * be valid.
 */
export function quoteInexactNumbers(json: string): string {
  if (!MAY_BE_INEXACT.test(json)) return json;
  const parts: string[] = [];
  let start = 0;
  while (start < json.length) {
    const quote = json.indexOf('"', start);
    const end = quote === -1 ? json.length : quote;
    parts.push(quoteIn(json.slice(start, end)));
    if (quote === -1) break;
    start = endOfText(json, quote);
    parts.push(json.slice(quote, start));
  }
  return parts.join('');
}

/** Returns the digits that JavaScript prints for a number, without an exponent. */
export function numberText(value: number): string {
  const text = Object.is(value, -0) ? '0' : String(value);
  if (!text.includes('e')) return text;
  const { sign, digits, exponent } = decimalOf(text);
  if (exponent >= 0) return `${sign}${digits}${'0'.repeat(exponent)}`;
  return `${sign}0.${'0'.repeat(-exponent - digits.length)}${digits}`;
}

function quoteIn(structure: string): string {
  return MAY_BE_INEXACT.test(structure)
    ? structure.replace(NUMBER, (number) => (isExact(number) ? number : `"${number}"`))
    : structure;
}

/** Returns the position after the JSON string that begins at `quote`. */
function endOfText(json: string, quote: number): number {
  for (let end = json.indexOf('"', quote + 1); ; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
}

/**
 * Returns true when `numberText` prints the same digits, or when the text is another common notation of the same
 * fraction.
 */
function isExact(text: string): boolean {
  if (SURELY_EXACT.test(text)) return true;
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  const given = keyOf(text);
  if (keyOf(String(value)) === given) return true;
  if (Number.isInteger(value)) return false;
  // Some programs print 0.1 with 17 digits, as 0.10000000000000001.
  return [value.toPrecision(16), value.toPrecision(17)].some((printed) => keyOf(printed) === given);
}

function keyOf(text: string): string {
  const { sign, digits, exponent } = decimalOf(text);
  return digits === '' ? '0' : `${sign}${digits}e${exponent}`;
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
