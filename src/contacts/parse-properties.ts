import type { FaultList } from '../errors/fault-list.js';
import type { ContactRules } from './contact-rules.js';
import { parseText } from './parse-field.js';
import { type PropertyValue, typeFault } from './property-type.js';

export const MOST_PROPERTIES = 100;
/**
 * The largest total size of the properties of one contact, in bytes. Exports, events and pages read hundreds of
 * contacts at once.
 */
export const MOST_PROPERTIES_BYTES = 64 * 1024;
const LONGEST_VALUE = 1024;
const MOST_ITEMS = 50;
const LONGEST_ITEM = 255;
const PROPERTY_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
// Object.prototype has these members. A template or client that reads a missing property would find these members
// instead.
const RESERVED_NAMES = new Set(Object.getOwnPropertyNames(Object.prototype));

/**
 * Returns the values that fit the rules, and adds a fault for each value that does not. A null removes a property.
 */
export function parseProperties(
  properties: Record<string, unknown>,
  rules: ContactRules,
  faults: FaultList,
): Record<string, PropertyValue | null> {
  const entries = Object.entries(properties);
  if (entries.length > MOST_PROPERTIES) {
    faults.push({ path: 'properties', message: `must be at most ${MOST_PROPERTIES} in total` });
    return {};
  }
  const parsed: Record<string, PropertyValue | null> = {};
  for (const [name, value] of entries) {
    const fault =
      propertyNameFault(name) ?? (value === null ? undefined : valueFault(name, value, rules));
    if (fault) faults.push({ path: `properties.${name}`, message: fault });
    else parsed[name] = value as PropertyValue | null;
  }
  return parsed;
}

/** Returns the size of properties as JSON. */
export function bytesOfProperties(properties: Readonly<Record<string, PropertyValue>>): number {
  return Buffer.byteLength(JSON.stringify(properties));
}

/** Returns the fault of the name of a property, or undefined for a valid name. */
export function propertyNameFault(name: string): string | undefined {
  if (!PROPERTY_NAME.test(name)) {
    return 'is not a valid property name: use a letter, then up to 63 letters, digits or _';
  }
  return RESERVED_NAMES.has(name) ? 'is a reserved name: use another name' : undefined;
}

function valueFault(
  name: string,
  value: unknown,
  { strictProperties, properties }: ContactRules,
): string | undefined {
  const rule = properties.get(name);
  if (!rule && strictProperties) return 'is not declared: declare it with set_property first';
  return (
    formFault(value, rule?.type === 'list') ??
    (rule ? typeFault(rule, value as PropertyValue) : undefined)
  );
}

/**
 * Checks a value by the rules that apply to every type, and returns its fault. Only the value of a declared property
 * can be a list.
 */
function formFault(value: unknown, mayBeList: boolean): string | undefined {
  if (typeof value === 'boolean' || typeof value === 'number') return undefined;
  if (mayBeList && Array.isArray(value)) {
    if (value.length > MOST_ITEMS) return `must have at most ${MOST_ITEMS} entries`;
    const isText = (item: unknown): boolean =>
      typeof item === 'string' && 'value' in parseText(item, LONGEST_ITEM);
    return value.every(isText) ? undefined : `must have texts of 1 to ${LONGEST_ITEM} characters`;
  }
  if (typeof value !== 'string') return 'must be text, a number, true, false or null';
  const parsed = parseText(value, LONGEST_VALUE);
  // parseText rejects empty text, but an empty property value is allowed.
  return value !== '' && 'fault' in parsed ? parsed.fault : undefined;
}
