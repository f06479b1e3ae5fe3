import type { Fault } from '../../errors/app-error.js';
import { didYouMean } from '../../text/nearest-names.js';
import type { JsonSchema } from './json-schema.js';

/** What a format demands of a text, and how that is said. */
export interface Format {
  readonly matches: (text: string) => boolean;
  /** Follows the path: `must be an email`. */
  readonly message: string;
}

export interface ValueRules {
  readonly formats: Readonly<Record<string, Format>>;
  /** True of a value that is not known yet, and not judged. */
  isOpen?(value: unknown): boolean;
}

/** Adds a fault for everything in `value` that does not fit the schema. */
export function checkValue(
  value: unknown,
  schema: JsonSchema,
  path: string,
  faults: Fault[],
  rules: ValueRules,
): void {
  if (rules.isOpen?.(value)) return;
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    faults.push({ path, message: `must be of type ${types.join(' or ')}` });
    return;
  }
  if (schema.enum && !schema.enum.includes(value)) {
    faults.push({ path, message: `must be one of ${schema.enum.map(String).join(', ')}` });
    return;
  }
  const message = faultOf(value, schema, rules);
  if (message) faults.push({ path, message });
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      checkValue(item, schema.items ?? {}, `${path}[${index}]`, faults, rules);
    }
  } else if (typeof value === 'object' && value !== null) {
    checkMembers(value as Record<string, unknown>, schema, path, faults, rules);
  }
}

export function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object')
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function checkMembers(
  value: Record<string, unknown>,
  schema: JsonSchema,
  path: string,
  faults: Fault[],
  rules: ValueRules,
): void {
  const known = schema.properties ?? {};
  const at = (key: string): string => (path === '' ? key : `${path}.${key}`);
  for (const [key, item] of Object.entries(value)) {
    const inner = Object.hasOwn(known, key) ? known[key] : undefined;
    if (inner) {
      // Nulls of optional arguments count as absent when the tool is called.
      const absent = item === null && !schema.required?.includes(key);
      if (!absent) checkValue(item, inner, at(key), faults, rules);
    } else if (schema.additionalProperties === false) {
      const near = didYouMean(key, Object.keys(known));
      faults.push({ path: at(key), message: `is not known.${near}` });
    }
  }
  for (const key of schema.required ?? []) {
    if (!Object.hasOwn(value, key)) faults.push({ path: at(key), message: 'is required' });
  }
}

function typesOf(schema: JsonSchema): readonly string[] {
  if (schema.type === undefined) return [];
  return Array.isArray(schema.type) ? schema.type : [schema.type];
}

function faultOf(value: unknown, schema: JsonSchema, rules: ValueRules): string | undefined {
  if (typeof value === 'string') return textFault(value, schema, rules);
  if (typeof value === 'number') return rangeFault(value, schema.minimum, schema.maximum, 'be');
  if (Array.isArray(value))
    return rangeFault(value.length, schema.minItems, schema.maxItems, 'hold');
  return undefined;
}

function textFault(value: string, schema: JsonSchema, { formats }: ValueRules): string | undefined {
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) {
    return `must match ${schema.pattern}`;
  }
  const { format = '' } = schema;
  const known = Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (known && !known.matches(value)) return known.message;
  const [min, max] = [schema.minLength ?? 0, schema.maxLength ?? Number.POSITIVE_INFINITY];
  const length = charactersIn(value);
  if (length < min) return `must be at least ${min} characters`;
  return length > max ? `must be at most ${max} characters` : undefined;
}

/** As JSON Schema counts: one for a character that UTF-16 takes two units for. */
function charactersIn(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
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
