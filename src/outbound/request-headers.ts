import { validateHeaderName, validateHeaderValue } from 'node:http';
import { AppError } from '../errors/app-error.js';

const MOST_HEADERS = 50;
const MOST_CHARACTERS = 8192;
/** Said by the connection and not by whoever uses it; two opinions on them are how requests are smuggled. */
const NOT_FREE = new Set([
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

/** The headers by their names in small letters, or `invalid_arguments` for one that must not be sent. */
export function readHeaders(given: object): Record<string, string> {
  const read: Record<string, string> = {};
  const entries = Object.entries(given);
  if (entries.length > MOST_HEADERS) throw wrong('', `must be at most ${MOST_HEADERS}`);
  let characters = 0;
  for (const [name, value] of entries) {
    const known = name.toLowerCase();
    if (typeof value !== 'string') throw wrong(name, 'must be text');
    if (!isSendable(name, value)) throw wrong(name, 'is not possible in HTTP');
    if (NOT_FREE.has(known)) throw wrong(name, 'must not be set');
    if (Object.hasOwn(read, known)) throw wrong(name, 'is there twice');
    characters += name.length + value.length;
    read[known] = value;
  }
  if (characters > MOST_CHARACTERS)
    throw wrong('', `must be at most ${MOST_CHARACTERS} characters`);
  return read;
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

// The name only: a value may be a secret.
function wrong(name: string, message: string): AppError {
  const path = name === '' ? 'headers' : `headers.${name.slice(0, 64).toWellFormed()}`;
  return AppError.invalid(`${path} ${message}.`, [{ path, message }]);
}
