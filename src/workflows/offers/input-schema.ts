import { FaultList } from '../../errors/fault-list.js';
import { isJsonObject } from '../../text/is-json-object.js';
import { IDEMPOTENCY_KEY } from '../../tools/registry/offered-tools.js';
import { FORMATS } from '../../tools/schema/check-value.js';
import type { ObjectSchema } from '../../tools/schema/json-schema.js';
import { parseObjectSchema } from '../../tools/schema/parse-object-schema.js';

const LIMITS = {
  bytes: 4096,
  depth: 5,
  properties: 50,
  formats: Object.keys(FORMATS),
  reserved: [IDEMPOTENCY_KEY],
};
/** A stored schema is larger than the given one, because it has `additionalProperties` in each object. */
const STORED_LIMITS = { ...LIMITS, bytes: 4 * LIMITS.bytes };

/** Parses the schema of an offer that is saved. Adds every fault with its path. */
export function parseInputSchema(given: object, faults: FaultList): ObjectSchema {
  return parseObjectSchema(given, 'input_schema', LIMITS, faults);
}

/**
 * Returns the schema of a stored offer. Returns undefined for a schema that only SQL can store. Without this check, a
 * regular expression in such a schema could block the process.
 */
export function readInputSchema(stored: unknown): ObjectSchema | undefined {
  if (!isJsonObject(stored)) return undefined;
  const faults = new FaultList();
  const schema = parseObjectSchema(stored, 'input_schema', STORED_LIMITS, faults);
  return faults.length === 0 ? schema : undefined;
}
