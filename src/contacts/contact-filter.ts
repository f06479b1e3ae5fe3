import { FaultList } from '../errors/fault-list.js';
import { normalizeEmail } from '../text/parse-email.js';
import { isDay, parseTime } from '../text/parse-time.js';
import { invalidArguments } from '../tools/schema/parse-arguments.js';
import { CONSENT_CHANNELS, CONSENT_STATUSES } from './consent.js';
import type { ContactRules } from './contact-rules.js';
import { parsePhone } from './parse-field.js';

export const OPERATORS = [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'starts_with',
  'is_set',
  'is_not_set',
  'greater_than',
  'less_than',
  'in',
] as const;

export type FilterOperator = (typeof OPERATORS)[number];
export type FilterValue = string | number | boolean;

export const TEXT_FIELDS = {
  external_id: 'externalId',
  email: 'email',
  phone: 'phone',
  first_name: 'firstName',
  last_name: 'lastName',
  locale: 'locale',
  timezone: 'timezone',
} as const;
export const TIME_FIELDS = { created_at: 'createdAt', updated_at: 'updatedAt' } as const;

export type FilterKind = 'text' | 'tags' | 'property' | 'consent' | 'time';

/** Describes a validated condition. Depending on `kind`, `name` is a field name, a property name or a consent channel. */
export interface ContactFilter {
  kind: FilterKind;
  name: string;
  operator: FilterOperator;
  /** The list is empty for `is_set` and `is_not_set`. `in` has any number of values, every other operator has one. */
  values: FilterValue[];
}

const OPERATORS_OF: Record<FilterKind, readonly FilterOperator[]> = {
  text: OPERATORS.filter((operator) => !operator.endsWith('_than')),
  tags: ['contains', 'not_contains', 'in', 'is_set', 'is_not_set'],
  property: OPERATORS,
  consent: ['equals', 'not_equals', 'in', 'is_set', 'is_not_set'],
  time: ['greater_than', 'less_than'],
};
const TEXT_OPERATORS = new Set<FilterOperator>(['contains', 'not_contains', 'starts_with']);
const MOST_VALUES = 100;
const LONGEST_VALUE = 1024;
const PROPERTY_FIELD = /^properties\.([A-Za-z][A-Za-z0-9_]{0,63})$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Validates the conditions that a caller sent. Throws `invalid_arguments` with the path of every fault. */
export function parseFilters(given: readonly object[], rules: ContactRules): ContactFilter[] {
  const faults = new FaultList();
  const filters: ContactFilter[] = [];
  for (const [index, item] of given.entries()) {
    const filter = parseFilter(item as Record<string, unknown>, `filters[${index}]`, rules, faults);
    if (filter) filters.push(filter);
  }
  if (faults.length > 0) throw invalidArguments(faults);
  return filters;
}

/** Returns the phone numbers that conditions compare with, so that their region can be looked up. */
export function phonesIn(given: readonly object[]): string[] {
  return given.flatMap((item) => {
    const { field, value } = item as { field?: unknown; value?: unknown };
    if (field !== 'phone') return [];
    return [value].flat().filter((each) => typeof each === 'string');
  });
}

/** Parses an RFC 3339 time, or a date as its start in UTC. Returns undefined for other text and for years before 1970. */
export function parseDayOrTime(text: string): Date | undefined {
  const time = DAY.test(text) && isDay(text) ? new Date(text) : parseTime(text);
  return text >= '1970-01-01' ? time : undefined;
}

function parseFilter(
  item: Record<string, unknown>,
  path: string,
  rules: ContactRules,
  faults: FaultList,
): ContactFilter | undefined {
  const fault = (at: string, message: string): undefined => {
    faults.push({ path: at === '' ? path : `${path}.${at}`, message });
  };
  const unknown = Object.keys(item).find((key) => !['field', 'operator', 'value'].includes(key));
  if (unknown !== undefined) return fault(unknown, 'is not known: use field, operator and value');
  const field = parseField(item.field);
  if (!field) {
    return fault(
      'field',
      `must be one of ${Object.keys({ ...TEXT_FIELDS, ...TIME_FIELDS }).join(', ')}, tags, ` +
        `properties.<name>, consent.<${CONSENT_CHANNELS.join('|')}>`,
    );
  }
  const operators = OPERATORS_OF[field.kind];
  const operator = operators.find((name) => name === item.operator);
  if (!operator) return fault('operator', `must be one of ${operators.join(', ')} for this field`);
  const given = item.value ?? undefined;
  if (operator === 'is_set' || operator === 'is_not_set') {
    return given === undefined
      ? { ...field, operator, values: [] }
      : fault('value', `must be absent for ${operator}`);
  }
  if (operator === 'in' && (!Array.isArray(given) || given.length > MOST_VALUES)) {
    return fault('value', `must be a list of at most ${MOST_VALUES} values`);
  }
  const values: FilterValue[] = [];
  for (const value of operator === 'in' ? (given as unknown[]) : [given]) {
    const parsed = parseValue(field, operator, value, rules);
    if ('fault' in parsed) return fault('value', parsed.fault);
    values.push(parsed.value);
  }
  return { ...field, operator, values };
}

function parseField(field: unknown): { kind: FilterKind; name: string } | undefined {
  if (typeof field !== 'string') return undefined;
  if (Object.hasOwn(TEXT_FIELDS, field)) return { kind: 'text', name: field };
  if (Object.hasOwn(TIME_FIELDS, field)) return { kind: 'time', name: field };
  if (field === 'tags') return { kind: 'tags', name: field };
  const property = PROPERTY_FIELD.exec(field)?.[1];
  if (property !== undefined) return { kind: 'property', name: property };
  const channel = CONSENT_CHANNELS.find((name) => field === `consent.${name}`);
  return channel && { kind: 'consent', name: channel };
}

function parseValue(
  field: { kind: FilterKind; name: string },
  operator: FilterOperator,
  value: unknown,
  rules: ContactRules,
): { value: FilterValue } | { fault: string } {
  if (field.kind === 'property' && !TEXT_OPERATORS.has(operator)) {
    const ordered = operator === 'greater_than' || operator === 'less_than';
    if (typeof value === 'number' || (typeof value === 'boolean' && !ordered)) return { value };
  }
  if (typeof value !== 'string') {
    return {
      fault: field.kind === 'property' ? 'has the wrong type for this operator' : 'must be text',
    };
  }
  if (value.length > LONGEST_VALUE)
    return { fault: `must have at most ${LONGEST_VALUE} characters` };
  switch (field.kind) {
    case 'time': {
      const time = parseDayOrTime(value);
      return time ? { value: time.toISOString() } : { fault: 'must be an RFC 3339 time' };
    }
    case 'consent':
      return (CONSENT_STATUSES as readonly string[]).includes(value)
        ? { value }
        : { fault: `must be one of ${CONSENT_STATUSES.join(', ')}` };
    case 'text':
      return { value: normalizeText(field.name, operator, value, rules) };
    default:
      return { value };
  }
}

/** Returns true for operators that compare a whole address. A part of an address need not have a domain. */
function isWhole(operator: FilterOperator): boolean {
  return !TEXT_OPERATORS.has(operator);
}

/** Converts an e-mail address or phone number to the form in which it is stored. */
function normalizeText(
  name: string,
  operator: FilterOperator,
  value: string,
  { region }: ContactRules,
): string {
  if (name === 'email') return isWhole(operator) ? normalizeEmail(value) : value.toLowerCase();
  if (name !== 'phone') return value;
  if (TEXT_OPERATORS.has(operator)) return value.replace(/[ ()-]/g, '');
  const phone = parsePhone(value, region);
  return 'value' in phone ? phone.value : value;
}
