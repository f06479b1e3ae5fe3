import type { Fault } from '../../errors/app-error.js';
import { didYouMean } from '../../text/nearest-names.js';
import type { JsonSchema } from './json-schema.js';

const LONGEST_KEY = 64;

/**
 * Checks what class-validator cannot be trusted with: objects that are arrays, properties called `__proto__`, text
 * that PostgreSQL or UTF-8 cannot hold. Returns a copy without the nulls that mean absent.
 */
export function shape(schema: JsonSchema, value: unknown, path: string, faults: Fault[]): unknown {
  if (typeof value === 'string') {
    if (value.includes('\0'))
      faults.push({ path, message: 'must not contain the character U+0000' });
    else if (!value.isWellFormed()) faults.push({ path, message: 'must be well-formed Unicode' });
    else if (schema.type === 'object' || schema.type === 'array')
      return mismatch(schema, path, faults, value);
    return value;
  }
  if (Array.isArray(value)) {
    if (!allows(schema, 'array')) return mismatch(schema, path, faults, value);
    return value.map((item, index) => shape(schema.items ?? {}, item, `${path}[${index}]`, faults));
  }
  if (typeof value === 'object' && value !== null) {
    if (!allows(schema, 'object')) return mismatch(schema, path, faults, value);
    return shapeObject(schema, value as Record<string, unknown>, path, faults);
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    faults.push({ path, message: 'is a number out of range' });
    return value;
  }
  if (schema.type === 'object' || schema.type === 'array')
    return mismatch(schema, path, faults, value);
  return value;
}

function shapeObject(
  schema: JsonSchema,
  value: Record<string, unknown>,
  path: string,
  faults: Fault[],
): object {
  const known = schema.properties;
  const copy: Record<string, unknown> = {};
  // Not by entries: every call passes here, and each would make a list more.
  for (const key of Object.keys(value)) {
    const item = value[key];
    // A key may be as long as a body, and is answered with.
    const shown = key.length > LONGEST_KEY ? `${key.slice(0, LONGEST_KEY).toWellFormed()}…` : key;
    const at = path === '' ? shown : `${path}.${shown}`;
    const keyFault = shapeFaults(key);
    if (keyFault) {
      faults.push({ path, message: keyFault });
    } else if (known && !Object.hasOwn(known, key) && schema.additionalProperties === false) {
      faults.push({ path: at, message: `is not known.${didYouMean(key, Object.keys(known))}` });
    } else {
      const inner = (known && Object.hasOwn(known, key) ? known[key] : undefined) ?? {};
      if (item === null && known && !allows(inner, 'null') && !schema.required?.includes(key))
        continue;
      copy[key] = shape(inner, item, at, faults);
    }
  }
  for (const key of schema.required ?? []) {
    if (!Object.hasOwn(copy, key)) {
      faults.push({ path: path === '' ? key : `${path}.${key}`, message: 'is required' });
    }
  }
  return copy;
}

function shapeFaults(key: string): string | undefined {
  if (key === '__proto__') return 'must not have a property called __proto__';
  if (key.includes('\0') || !key.isWellFormed()) return 'has a property with an impossible name';
  return undefined;
}

function allows(schema: JsonSchema, type: 'array' | 'object' | 'null'): boolean {
  if (schema.type === undefined) return true;
  return Array.isArray(schema.type) ? schema.type.includes(type) : schema.type === type;
}

function mismatch(schema: JsonSchema, path: string, faults: Fault[], value: unknown): unknown {
  const wanted = Array.isArray(schema.type) ? schema.type.join(' or ') : schema.type;
  faults.push({ path, message: `must be of type ${wanted}` });
  return value;
}
