import { isEmail, isUUID } from 'class-validator';
import type { FaultList } from '../../errors/fault-list.js';
import { canonicalJson } from '../../text/canonical-json.js';
import { counted } from '../../text/counted.js';
import { didYouMean } from '../../text/nearest-names.js';
import { isDay, parseTime } from '../../text/parse-time.js';
import { isUrl } from '../../text/parse-url.js';
import type { JsonSchema, JsonType } from './json-schema.js';

interface Format {
  readonly matches: (text: string) => boolean;
  readonly message: string;
}

export const FORMATS = {
  email: { matches: (text) => isEmail(text), message: 'must be an email' },
  uri: { matches: isUrl, message: 'must be a URL' },
  uuid: { matches: (text) => isUUID(text), message: 'must be a UUID' },
  date: {
    matches: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isDay(text),
    message: 'must be a date such as 2026-01-31',
  },
  'date-time': {
    matches: (text) => parseTime(text) !== undefined,
    message: 'must be an RFC 3339 time',
  },
} as const satisfies Record<string, Format>;

const LONGEST_SHOWN_KEY = 64;
const ANYTHING: JsonSchema = {};

/** Returns true for a value that is unknown until later. Such a value is not checked. */
type IsUnknown = (value: unknown) => boolean;

/**
 * Adds a fault for everything in `value` that the schema or the database does not allow. Returns a copy without absent
 * members: undefined members, and nulls of optional properties, which language models send for "no value". After a
 * fault the copy must not be used.
 */
export function checkValue(
  schema: JsonSchema,
  value: unknown,
  path: string,
  faults: FaultList,
  isUnknown?: IsUnknown,
): unknown {
  if (isUnknown?.(value)) return value;
  if (!hasTypeOf(schema, value)) {
    faults.push({ path, message: `must be of type ${[schema.type].flat().join(' or ')}` });
    return value;
  }
  const message = faultOf(schema, value);
  if (message !== undefined) {
    faults.push({ path, message });
    return value;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value)
    ? checkList(schema, value, path, faults, isUnknown)
    : checkObject(schema, value as Record<string, unknown>, path, faults, isUnknown);
}

export function isOfType(value: unknown, type: JsonType): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    default:
      return typeof value === type;
  }
}

function hasTypeOf({ type }: JsonSchema, value: unknown): boolean {
  if (type === undefined) return true;
  return Array.isArray(type) ? type.some((one) => isOfType(value, one)) : isOfType(value, type);
}

function checkList(
  { items = ANYTHING }: JsonSchema,
  value: readonly unknown[],
  path: string,
  faults: FaultList,
  isUnknown: IsUnknown | undefined,
): unknown[] {
  const before = faults.length;
  const copy = value.map((item, index) =>
    checkValue(items, item, `${path}[${index}]`, faults, isUnknown),
  );
  const isFlat = items.type !== undefined && items.type !== 'object' && items.type !== 'array';
  // A form has one field for a list of texts. So there must be a fault with the path of this field too.
  if (isFlat && faults.length > before) {
    faults.push({ path, message: 'has an item that is not allowed' });
  }
  return copy;
}

function checkObject(
  schema: JsonSchema,
  value: Record<string, unknown>,
  path: string,
  faults: FaultList,
  isUnknown: IsUnknown | undefined,
): object {
  const { properties = {}, required = [], additionalProperties } = schema;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const item = value[key];
    const keyFault = faultOfKey(key);
    if (keyFault !== undefined) {
      faults.push({ path, message: keyFault });
      continue;
    }
    const inner = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const isAbsent =
      item === undefined ||
      (item === null && inner && !required.includes(key) && !hasTypeOf(inner, null));
    if (isAbsent) continue;
    if (!inner && additionalProperties === false) {
      faults.push({
        path: joinPath(path, key),
        message: () => `is not known.${didYouMean(key, Object.keys(properties))}`,
      });
      continue;
    }
    copy[key] = checkValue(inner ?? ANYTHING, item, joinPath(path, key), faults, isUnknown);
  }
  for (const key of required) {
    if (!Object.hasOwn(copy, key)) {
      faults.push({ path: joinPath(path, key), message: 'is required' });
    }
  }
  return copy;
}

/**
 * Returns the fault of a key that is not allowed. PostgreSQL can store neither U+0000 nor lone surrogates, and
 * `__proto__` would set the prototype of the copy.
 */
function faultOfKey(key: string): string | undefined {
  if (key === '__proto__') return 'must not have the property __proto__';
  if (key.includes('\0') || !key.isWellFormed())
    return 'has a property name with a character that cannot be stored';
  return undefined;
}

/**
 * Adds a key to a path. A long key is shortened, because it may be as long as the body, and the response contains the
 * path.
 */
function joinPath(path: string, key: string): string {
  const shown =
    key.length > LONGEST_SHOWN_KEY ? `${key.slice(0, LONGEST_SHOWN_KEY).toWellFormed()}…` : key;
  return path === '' ? shown : `${path}.${shown}`;
}

function faultOf(schema: JsonSchema, value: unknown): string | undefined {
  if (typeof value === 'string') {
    const message = faultOfText(schema, value);
    if (message !== undefined) return message;
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) return 'is a number out of range';
    const { minimum = -Infinity, maximum = Infinity } = schema;
    const message = faultOfRange(value, minimum, maximum, 'must be', String);
    if (message !== undefined) return message;
  } else if (Array.isArray(value)) {
    const { minItems = 0, maxItems = Infinity } = schema;
    const items = (amount: number): string => counted(amount, 'item');
    const message = faultOfRange(value.length, minItems, maxItems, 'must have', items);
    if (message !== undefined) return message;
    if (schema.uniqueItems && hasDuplicates(value)) return 'must not repeat an item';
  }
  if (!schema.enum || schema.enum.includes(value)) return undefined;
  return `must be one of ${schema.enum.map(String).join(', ')}`;
}

function faultOfText(schema: JsonSchema, text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the character U+0000';
  if (!text.isWellFormed()) return 'must be well-formed Unicode';
  const { minLength = 0, maxLength = Infinity, pattern, format } = schema;
  // The UTF-16 length is at most twice the number of characters, so the characters of most texts need not be counted.
  if (text.length < 2 * minLength && charactersIn(text) < minLength) {
    return `must be at least ${counted(minLength, 'character')}`;
  }
  if (text.length > maxLength && charactersIn(text) > maxLength) {
    return `must be at most ${counted(maxLength, 'character')}`;
  }
  if (pattern !== undefined && !regExpOf(pattern).test(text)) return `must match ${pattern}`;
  if (format === undefined || !Object.hasOwn(FORMATS, format)) return undefined;
  const { matches, message } = FORMATS[format as keyof typeof FORMATS];
  return matches(text) ? undefined : message;
}

function charactersIn(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

const regExps = new Map<string, RegExp>();

/**
 * Returns the regular expression of a pattern from a cache. Only schemas of classes have patterns, so the cache stays
 * small.
 */
function regExpOf(pattern: string): RegExp {
  let regExp = regExps.get(pattern);
  if (!regExp) regExps.set(pattern, (regExp = new RegExp(pattern, 'u')));
  return regExp;
}

function faultOfRange(
  value: number,
  min: number,
  max: number,
  must: 'must be' | 'must have',
  show: (amount: number) => string,
): string | undefined {
  if (value < min) return `${must} at least ${show(min)}`;
  return value > max ? `${must} at most ${show(max)}` : undefined;
}

function hasDuplicates(items: readonly unknown[]): boolean {
  return new Set(items.map((item) => canonicalJson(item))).size < items.length;
}
