import { AppError } from '../errors/app-error.js';

const MAX_DEPTH = 64;
const MAX_MEMBERS = 10_000;

/**
 * Parses a JSON text (RFC 8259) in UTF-8. Throws `invalid_json` when it is none, and `too_complex` when it is nested
 * deeper than 64 or holds more than 10,000 members: JSON.parse takes any depth, but what comes after would not.
 */
export function parseJson(body: Uint8Array): unknown {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    throw new AppError('invalid_json', 'The body is not JSON in UTF-8.', { cause: error });
  }
  countMembers(value, 1);
  return value;
}

/** How many members a value has with all that it holds; throws where they are too many, or nested too deep. */
function countMembers(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > MAX_DEPTH) {
    throw new AppError('too_complex', `The body is nested deeper than ${MAX_DEPTH}.`);
  }
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) members += 1 + countMembers(item, depth + 1);
  } else {
    // What JSON.parse has made inherits nothing that could be listed.
    for (const name in value) {
      members += 1 + countMembers((value as Record<string, unknown>)[name], depth + 1);
    }
  }
  if (members > MAX_MEMBERS) {
    throw new AppError('too_complex', `The body holds more than ${MAX_MEMBERS} values.`);
  }
  return members;
}
