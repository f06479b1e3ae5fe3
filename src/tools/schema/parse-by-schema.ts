import { isEmail, isUUID } from 'class-validator';
import type { Fault } from '../../errors/app-error.js';
import { invalidArguments } from './invalid-arguments.js';
import { isDay, parseTime } from '../../text/parse-time.js';
import { checkValue, type Format, type ValueRules } from './check-value.js';
import type { ObjectSchema } from './json-schema.js';
import { shape } from './shape-arguments.js';

const DAY = /^\d{4}-\d\d-\d\d$/;

/** The formats that a schema may name which was not made from a class. */
export const FORMATS = {
  email: { matches: (text) => isEmail(text), message: 'must be an email' },
  uri: { matches: (text) => URL.canParse(text), message: 'must be a URL' },
  uuid: { matches: (text) => isUUID(text), message: 'must be a UUID' },
  date: {
    matches: (text) => DAY.test(text) && isDay(text),
    message: 'must be a date such as 2026-01-31',
  },
  'date-time': {
    matches: (text) => parseTime(text) !== undefined,
    message: 'must be an RFC 3339 time',
  },
} as const satisfies Record<string, Format>;

const RULES: ValueRules = { formats: FORMATS };

/**
 * What a caller sent, as far as the schema allows it, or throws `invalid_arguments` with every fault and its path. Of a
 * schema that no class stands behind; otherwise the same as `parseArguments`.
 */
export function parseBySchema(schema: ObjectSchema, given: unknown): Record<string, unknown> {
  const faults: Fault[] = [];
  const shaped = shape(schema, given, '', faults);
  if (faults.length === 0) checkValue(shaped, schema, '', faults, RULES);
  if (faults.length > 0) throw invalidArguments(faults);
  return shaped as Record<string, unknown>;
}
