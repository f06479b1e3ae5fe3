import { validateHeaderName, validateHeaderValue } from 'node:http';
import { AppError, type Fault } from '../errors/app-error.js';
import { numberText } from '../text/exact-numbers.js';

const MOST_HEADERS = 50;
const MOST_CHARACTERS = 8192;
const MOST_RETRY_SECONDS = 3600;
/** The headers that only the connection may set. Conflicting values would make request smuggling possible. */
const RESERVED = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'idempotency-key',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Returns the headers by lowercase name, with numbers as text. Throws `invalid_arguments` for headers that must not be
 * sent.
 */
export function readHeaders(headers: object): Record<string, string> {
  const read: Record<string, string> = {};
  const entries: [string, unknown][] = Object.entries(headers);
  if (entries.length > MOST_HEADERS) throw invalidHeader('', `must be at most ${MOST_HEADERS}`);
  let characters = 0;
  for (const [name, given] of entries) {
    const key = name.toLowerCase();
    const value = typeof given === 'number' ? numberText(given) : given;
    if (typeof value !== 'string') throw invalidHeader(name, 'must be text');
    if (!isSendable(name, value)) throw invalidHeader(name, 'is not a valid HTTP header');
    if (RESERVED.has(key)) throw invalidHeader(name, 'must not be set');
    if (Object.hasOwn(read, key)) throw invalidHeader(name, 'must be given once');
    characters += name.length + value.length;
    read[key] = value;
  }
  if (characters > MOST_CHARACTERS)
    throw invalidHeader('', `must be at most ${MOST_CHARACTERS} characters`);
  return read;
}

/** Returns the faults of the headers of a step. Expressions in their values are not checked. */
export function headerFaults(given: unknown): readonly Fault[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return [];
  const known = Object.entries(given).map(([name, value]: [string, unknown]) => {
    const isExpression = typeof value === 'string' && value.includes('{');
    return [name, isExpression ? '' : value];
  });
  return known.flatMap((entry) => {
    try {
      readHeaders(Object.fromEntries([entry]) as object);
      return [];
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return [...(error.details ?? [])];
    }
  });
}

function isSendable(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

// The error contains the name only, because the value may be a secret.
function invalidHeader(name: string, message: string): AppError {
  const path = name === '' ? 'headers' : `headers.${name.slice(0, 64).toWellFormed()}`;
  return AppError.invalidField(path, message);
}

/**
 * Returns the seconds in a Retry-After header (RFC 9110, 10.2.3), at most an hour, or undefined when the header is
 * invalid. Some systems, such as Shopify, send a fraction, which `Date.parse` would read as a day in the past.
 */
export function retryAfterSeconds(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  const seconds = /^\d{1,9}(\.\d{1,9})?$/.test(text)
    ? Number(text)
    : (Date.parse(text) - now) / 1000;
  if (Number.isNaN(seconds)) return undefined;
  return Math.min(Math.max(Math.ceil(seconds), 0), MOST_RETRY_SECONDS);
}
