import { isJsonObject } from '../../../text/is-json-object.js';
import type { Json } from '../step-fields.js';
import type { StepParser } from './step-parser.js';

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
const MAX_NAMES = 100;

/**
 * Parses an object of values by name. Adds every fault with its path. If there are faults, the result must not be used.
 */
export function parseNamedValues(
  given: unknown,
  path: string,
  parser: StepParser,
  minNames: 0 | 1,
): Json {
  if (!isJsonObject(given)) {
    parser.fault(path, 'must be an object of values by name');
    return {};
  }
  const names = Object.keys(given);
  if (names.length < minNames || names.length > MAX_NAMES) {
    parser.fault(path, `must have ${minNames} to ${MAX_NAMES} names`);
  }
  for (const name of names.slice(0, MAX_NAMES)) {
    if (!NAME.test(name)) parser.fault(path, `has a name that does not match ${NAME.source}`);
  }
  return given;
}
