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
  assertBounded(value);
  return value;
}

function assertBounded(root: unknown): void {
  let level = isContainer(root) ? [root] : [];
  let members = 0;
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) {
      throw new AppError('too_complex', `The body is nested deeper than ${MAX_DEPTH}.`);
    }
    const below: object[] = [];
    for (const container of level) {
      const values: unknown[] = Array.isArray(container) ? container : Object.values(container);
      members += values.length;
      for (const value of values) if (isContainer(value)) below.push(value);
    }
    if (members > MAX_MEMBERS) {
      throw new AppError('too_complex', `The body holds more than ${MAX_MEMBERS} values.`);
    }
    level = below;
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
