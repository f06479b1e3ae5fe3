import { createHash, createHmac } from 'node:crypto';
import type { FilterImplOptions } from 'liquidjs';
import { AppError } from '../errors/app-error.js';
import { addMonths } from '../text/add-months.js';
import { quoteInexactNumbers } from '../text/exact-numbers.js';
import { isDay, parseTime } from '../text/parse-time.js';
import { isNumeric } from './ordered.js';

const MAX_DEPTH = 64;
/** The largest number of values in a text that `parse_json` parses. The input of other filters has the same limit. */
const MAX_PARSED_VALUES = 10_000;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
const ENCODINGS = ['hex', 'base64'] as const;

const UNIT_MS = {
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
  weeks: 7 * 86_400_000,
};
const UNIT_MONTHS = { months: 1, years: 12 };
const UNITS = [...Object.keys(UNIT_MS), ...Object.keys(UNIT_MONTHS)];
const MAX_YEARS = 10_000;

interface FilterThis {
  context: { memoryLimit: { use(count: number): void } };
}

type Filter = (this: FilterThis, value: unknown, ...given: unknown[]) => unknown;

/**
 * The filters that encode, hash and parse texts, and compute times. A filter that has no result throws, even for a
 * missing value. The filters need time and memory in proportion to their input, which `boundFilters` limits.
 */
const FILTERS: Readonly<Record<string, Filter>> = {
  base64_encode(value) {
    const text = toText('base64_encode', value);
    this.context.memoryLimit.use(text.length * 2);
    return Buffer.from(text).toString('base64');
  },

  base64_decode(value) {
    const text = toText('base64_decode', value).trim();
    this.context.memoryLimit.use(text.length);
    if (!BASE64.test(text)) throw noResult('base64_decode', 'a text that is not Base64');
    try {
      const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
      return decoder.decode(Buffer.from(text, 'base64'));
    } catch {
      throw noResult('base64_decode', 'bytes that are not text in UTF-8');
    }
  },

  sha256(value, encoding = 'hex') {
    const text = toText('sha256', value);
    return createHash('sha256').update(text).digest(toEncoding('sha256', encoding));
  },

  hmac_sha256(value, key, encoding = 'hex') {
    const text = toText('hmac_sha256', value);
    if (typeof key !== 'string' || key === '') {
      throw AppError.invalid('The filter hmac_sha256 needs a key, as in hmac_sha256: "key".');
    }
    return createHmac('sha256', key).update(text).digest(toEncoding('hmac_sha256', encoding));
  },

  parse_json(value) {
    if (typeof value !== 'string') throw noResult('parse_json', 'a value that is not text');
    this.context.memoryLimit.use(value.length);
    assertParsable(value);
    return parse(value);
  },

  date_add(value, amount, unit) {
    const time = toTime(value);
    if (!isNumeric(amount)) throw noResult('date_add', 'an amount that is not a number');
    const moved = new Date(addTo(time, Number(amount), unit));
    const year = moved.getUTCFullYear();
    if (year >= 0 && year < MAX_YEARS) return moved.toISOString();
    throw AppError.invalid('The filter date_add has a result outside of the years 0 to 9999.');
  },
};

export const DATA_FILTERS = FILTERS as unknown as Readonly<Record<string, FilterImplOptions>>;

function noResult(name: string, got: string): AppError {
  return AppError.invalid(`The filter ${name} got ${got}.`);
}

function toText(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const isMissing = value === null || value === undefined;
  throw noResult(name, isMissing ? 'no value' : 'a list or object. Use json before it');
}

function toEncoding(name: string, given: unknown): (typeof ENCODINGS)[number] {
  const encoding = ENCODINGS.find((known) => known === given);
  if (encoding) return encoding;
  throw AppError.invalid(`The filter ${name} has the encodings ${ENCODINGS.join(' and ')}.`);
}

function parse(text: string): unknown {
  try {
    JSON.parse(text);
    return JSON.parse(quoteInexactNumbers(text));
  } catch {
    throw noResult('parse_json', 'a text that is not JSON');
  }
}

/**
 * Throws when a JSON text is nested too deep or may have too many values. This function counts brackets and commas
 * before the text is parsed, because parsing deep texts takes long.
 */
function assertParsable(text: string): void {
  let [depth, values, isInString] = [0, 1, false];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isInString && character === '\\') at += 1;
    else if (character === '"') isInString = !isInString;
    else if (!isInString) {
      if (character === '[' || character === '{') depth += 1;
      if (character === ']' || character === '}') depth -= 1;
      if (character === ',' || character === '[' || character === '{') values += 1;
    }
    if (depth > MAX_DEPTH) {
      throw AppError.invalid(
        `The filter parse_json takes JSON that is nested at most ${MAX_DEPTH} deep.`,
      );
    }
  }
  if (values <= MAX_PARSED_VALUES) return;
  throw AppError.invalid(`The filter parse_json takes at most ${MAX_PARSED_VALUES} values.`);
}

function toTime(value: unknown): number {
  if (value === 'now') return Date.now();
  const time =
    typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && isDay(value)
      ? new Date(`${value}T00:00:00Z`)
      : parseTime(value);
  if (time) return time.getTime();
  throw noResult('date_add', 'neither an RFC 3339 time nor a day such as 2030-01-31 nor "now"');
}

function addTo(time: number, amount: number, unit: unknown): number {
  const unitMs = Object.entries(UNIT_MS).find(([name]) => name === unit)?.[1];
  if (unitMs !== undefined) return time + amount * unitMs;
  const months = Object.entries(UNIT_MONTHS).find(([name]) => name === unit)?.[1];
  if (months === undefined) {
    throw AppError.invalid(`The filter date_add accepts the units ${UNITS.join(', ')}.`);
  }
  if (!Number.isInteger(amount)) {
    throw AppError.invalid('The filter date_add takes whole months and years.');
  }
  return addMonths(time, amount * months);
}
