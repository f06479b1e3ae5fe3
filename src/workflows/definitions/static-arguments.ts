import { isEmail } from 'class-validator';
import type { Fault } from '../../errors/app-error.js';
import { checkValue, type ValueRules } from '../../tools/schema/check-value.js';
import type { JsonSchema } from '../../tools/schema/json-schema.js';
import { isDynamic } from './step-fields.js';

/** Only what tools judge in the same way: a definition must not be refused that its tools would take. */
const RULES: ValueRules = {
  formats: { email: { matches: (text) => isEmail(text), message: 'must be an email' } },
  isOpen: (value) => typeof value === 'string' && isDynamic(value),
};

/**
 * Adds a fault for everything in `value` that can never fit the schema. Text with an expression is not judged: what
 * it becomes is known only when the step runs, and checked again then.
 */
export function checkStatic(
  value: unknown,
  schema: JsonSchema,
  path: string,
  faults: Fault[],
): void {
  checkValue(value, schema, path, faults, RULES);
}
