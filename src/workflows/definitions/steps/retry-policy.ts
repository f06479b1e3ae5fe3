import { checkValue } from '../../../tools/schema/check-value.js';
import type { JsonSchema } from '../../../tools/schema/json-schema.js';
import type { RetryPolicy } from '../definition.js';
import type { StepParser } from './step-parser.js';

/** The longest pause between two attempts, in seconds, even when a tool asks for a longer one. */
export const MAX_PAUSE_SECONDS = 3600;

export const MAX_ATTEMPTS = 10;

const RETRY: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    max_attempts: { type: 'integer', minimum: 1, maximum: MAX_ATTEMPTS },
    backoff_seconds: { type: 'number', minimum: 0, maximum: MAX_PAUSE_SECONDS },
    backoff_factor: { type: 'number', minimum: 1, maximum: 10 },
  },
};

/**
 * Parses the member `retry` of the step at `path`, and adds its faults to the parser. If there are faults, the result
 * must not be used.
 */
export function parseRetry(given: unknown, path: string, parser: StepParser): RetryPolicy {
  return checkValue(RETRY, given, `${path}.retry`, parser.faults) as RetryPolicy;
}
