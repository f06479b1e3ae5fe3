import { isObject } from '../../api/reader.js';

export type Operator =
  | 'equals'
  | 'not_equals'
  | 'contains'
  | 'not_contains'
  | 'starts_with'
  | 'in'
  | 'is_set'
  | 'is_not_set'
  | 'greater_than'
  | 'less_than'
  | 'between'
  | 'before'
  | 'after'
  | 'within_days'
  | 'is'
  | 'is_not';

/** Holds a condition as `search_contacts` takes it. */
export interface ContactFilter {
  field: string;
  operator: Operator;
  value?: unknown;
}

const TEXT: readonly Operator[] = [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'starts_with',
  'in',
  'is_set',
  'is_not_set',
];
const CONSENT: readonly Operator[] = ['equals', 'not_equals', 'in', 'is_set', 'is_not_set'];
const TIME: readonly Operator[] = [
  'greater_than',
  'less_than',
  'between',
  'before',
  'after',
  'within_days',
];
const TIME_FIELDS = ['created_at', 'updated_at', 'last_message_at', 'last_activity_at'];
const TEXT_FIELDS = [
  'email',
  'first_name',
  'last_name',
  'phone',
  'external_id',
  'locale',
  'timezone',
] as const;

/** Lists the fields that conditions can name, with the operators of each. `properties.` is followed by a name. */
export const FIELD_OPERATORS: ReadonlyMap<string, readonly Operator[]> = new Map([
  ...TEXT_FIELDS.map((field) => [field, TEXT] as const),
  ['tags', ['contains', 'not_contains', 'in', 'is_set', 'is_not_set']],
  ['segment', ['is', 'is_not']],
  ['properties.', [...TEXT, ...TIME]],
  ...['consent.email', 'consent.sms', 'consent.webhook'].map((field) => [field, CONSENT] as const),
  ['created_at', TIME],
  ['updated_at', TIME],
  ['last_message_at', [...TIME, 'is_set', 'is_not_set']],
  ['last_activity_at', [...TIME, 'is_set', 'is_not_set']],
]);

const OPERATORS = new Set<string>([...FIELD_OPERATORS.values()].flat());
const MOST_FILTERS = 20;

/** Reads the filters from the address of the list of contacts. */
export function readContactSearch(search: Record<string, unknown>): {
  q?: string;
  filters?: unknown[];
} {
  return {
    ...(typeof search.q === 'string' && search.q && { q: search.q }),
    ...(Array.isArray(search.filters) && { filters: search.filters }),
  };
}

/** Returns the conditions in `given`, a value from the address of the page. Other entries are left out. */
export function readFilters(given: unknown): ContactFilter[] {
  return Array.isArray(given) ? given.filter(isFilter).slice(0, MOST_FILTERS) : [];
}

function isFilter(value: unknown): value is ContactFilter {
  return (
    isObject(value) &&
    typeof value.field === 'string' &&
    typeof value.operator === 'string' &&
    OPERATORS.has(value.operator)
  );
}

/** Returns true for operators that take several values, which a person separates with commas. */
export function isListOperator(operator: Operator): boolean {
  return operator === 'in' || operator === 'between';
}

export function needsValue(operator: Operator): boolean {
  return operator !== 'is_set' && operator !== 'is_not_set';
}

/**
 * Returns the value of a typed text. Only properties can have numbers and booleans: there, `5` is a number, and `"5"`
 * is a text.
 */
export function readFilterValue(field: string, operator: Operator, typed: string): unknown {
  if (!needsValue(operator)) return undefined;
  const one = (text: string): unknown =>
    field.startsWith('properties.') ? readScalar(text) : text;
  if (operator === 'within_days') return Number(typed.trim());
  if (!isListOperator(operator)) return one(typed.trim());
  return typed
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)
    .map(one);
}

function readScalar(text: string): unknown {
  const quoted = /^"(.*)"$/.exec(text)?.[1];
  if (quoted !== undefined) return quoted;
  if (text === 'true' || text === 'false') return text === 'true';
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** Returns a value of a field as a person would have typed it. */
export function showFilterValue(field: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((each) => showFilterValue(field, each)).join(', ');
  if (value === undefined) return '';
  if (typeof value !== 'string') return JSON.stringify(value);
  const isText = !field.startsWith('properties.') || readScalar(value) === value;
  return isText ? value : `"${value}"`;
}

export const CONSENT_STATUSES = ['granted', 'denied'] as const;

/** Returns the kind of control in which a person enters the value of a condition. */
export function valueKindOf(
  field: string,
  operator: Operator,
): 'consent' | 'day' | 'segment' | 'text' {
  if (field === 'segment') return 'segment';
  if (field.startsWith('consent.') && operator !== 'in') return 'consent';
  const isDay = TIME_FIELDS.includes(field) && !isListOperator(operator);
  return isDay && operator !== 'within_days' ? 'day' : 'text';
}
