import { isEmail } from 'class-validator';
import type { Fault } from '../errors/app-error.js';
import { didYouMean } from '../tools/nearest-names.js';
import type { JsonSchema } from '../tools/schema/json-schema.js';
import { isDynamic } from './step-fields.js';

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
  if (typeof value === 'string' && isDynamic(value)) return;
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    faults.push({ path, message: `must be of type ${types.join(' or ')}` });
    return;
  }
  if (schema.enum && !schema.enum.includes(value)) {
    faults.push({ path, message: `must be one of ${schema.enum.map(String).join(', ')}` });
    return;
  }
  const message = faultOf(value, schema);
  if (message) faults.push({ path, message });
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      checkStatic(item, schema.items ?? {}, `${path}[${index}]`, faults);
    }
  } else if (typeof value === 'object' && value !== null) {
    checkMembers(value as Record<string, unknown>, schema, path, faults);
  }
}

function checkMembers(
  value: Record<string, unknown>,
  schema: JsonSchema,
  path: string,
  faults: Fault[],
): void {
  const known = schema.properties ?? {};
  for (const [key, item] of Object.entries(value)) {
    const inner = Object.hasOwn(known, key) ? known[key] : undefined;
    if (inner) {
      // Nulls of optional arguments count as absent when the tool is called.
      const absent = item === null && !schema.required?.includes(key);
      if (!absent) checkStatic(item, inner, `${path}.${key}`, faults);
    } else if (schema.additionalProperties === false) {
      const near = didYouMean(key, Object.keys(known));
      faults.push({ path: `${path}.${key}`, message: `is not known.${near}` });
    }
  }
  for (const key of schema.required ?? []) {
    if (!Object.hasOwn(value, key)) faults.push({ path: `${path}.${key}`, message: 'is required' });
  }
}

function typesOf(schema: JsonSchema): readonly string[] {
  if (schema.type === undefined) return [];
  return Array.isArray(schema.type) ? schema.type : [schema.type];
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object')
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function faultOf(value: unknown, schema: JsonSchema): string | undefined {
  if (typeof value === 'string') return textFault(value, schema);
  if (typeof value === 'number') return rangeFault(value, schema.minimum, schema.maximum, 'be');
  if (Array.isArray(value))
    return rangeFault(value.length, schema.minItems, schema.maxItems, 'hold');
  return undefined;
}

function textFault(value: string, schema: JsonSchema): string | undefined {
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) {
    return `must match ${schema.pattern}`;
  }
  if (schema.format === 'email' && !isEmail(value)) return 'must be an email';
  const [min, max] = [schema.minLength ?? 0, schema.maxLength ?? Number.POSITIVE_INFINITY];
  if (value.length < min) return `must be at least ${min} characters`;
  return value.length > max ? `must be at most ${max} characters` : undefined;
}

function rangeFault(
  value: number,
  min: number | undefined,
  max: number | undefined,
  verb: string,
): string | undefined {
  if (min !== undefined && value < min) return `must ${verb} at least ${min}`;
  return max !== undefined && value > max ? `must ${verb} at most ${max}` : undefined;
}
