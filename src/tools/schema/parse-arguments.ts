import { AppError, type Fault } from '../../errors/app-error.js';
import { FaultList } from '../../errors/fault-list.js';
import { checkValue } from './check-value.js';
import { type SchemaClass, nestedClassesOf } from './class-schema.js';
import type { ObjectSchema } from './json-schema.js';

/** Returns an instance of `schemaClass`. Throws `invalid_arguments` with the paths of the first 20 faults. */
export function parseArguments<T extends object>(
  schemaClass: SchemaClass<T>,
  schema: ObjectSchema,
  given: unknown,
): T {
  return instantiate(schemaClass, parseBySchema(schema, given));
}

/** Checks arguments against a schema that has no class. Returns a plain object. */
export function parseBySchema(schema: ObjectSchema, given: unknown): Record<string, unknown> {
  const faults = new FaultList();
  const checked = checkValue(schema, given, '', faults);
  if (faults.length > 0) throw invalidArguments(faults);
  return checked as Record<string, unknown>;
}

/**
 * Returns instances for values with a class, and keeps other objects as they are. plainToInstance would copy the
 * other objects, and fail on a key called `constructor`.
 */
export function instantiate<T extends object>(schemaClass: SchemaClass<T>, value: object): T {
  const nested = nestedClassesOf(schemaClass);
  const instance = new schemaClass() as Record<string, unknown>;
  for (const [key, item] of Object.entries(value)) {
    const inner = nested.get(key);
    instance[key] = inner ? instantiateNested(inner, item) : item;
  }
  return instance as T;
}

function instantiateNested(schemaClass: SchemaClass, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => instantiateNested(schemaClass, item));
  return typeof value === 'object' && value !== null ? instantiate(schemaClass, value) : value;
}

/** Returns the error for one or more faults. Its message contains the first fault. */
export function invalidArguments(faults: FaultList): AppError {
  const [{ path, message }] = faults.first as [Fault, ...Fault[]];
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more).` : '';
  const said = more === '' ? message : message.replace(/\.$/, '');
  const end = more === '' && !/[.?]$/.test(message) ? '.' : more;
  return AppError.invalid(`${path === '' ? 'The arguments' : path} ${said}${end}`, faults.first);
}
