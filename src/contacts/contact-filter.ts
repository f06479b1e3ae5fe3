import { FaultList } from '../errors/fault-list.js';
import { isJsonObject } from '../text/is-json-object.js';
import { normalizeEmail } from '../text/parse-email.js';
import { isDay, parseTime } from '../text/parse-time.js';
import { invalidArguments } from '../tools/schema/parse-arguments.js';
import { CONSENT_CHANNELS, CONSENT_STATUSES } from './consent.js';
import type { ContactRules } from './contact-rules.js';
import {
  ACTIVITY_FIELDS,
  type ContactFilter,
  type FilterKind,
  type FilterNode,
  type FilterOperator,
  type FilterValue,
  OPERATORS_OF,
  TEXT_FIELDS,
  TIME_FIELDS,
  TIME_OPERATORS,
} from './filter-fields.js';
import { parsePhone } from './parse-field.js';

const TEXT_OPERATORS = new Set<FilterOperator>(['contains', 'not_contains', 'starts_with']);
const WRONG_TYPE = 'has the wrong type for this operator';
const MOST_VALUES = 100;
const MOST_CONDITIONS = 50;
const DEEPEST = 5;
const MOST_DAYS = 3660;
const LONGEST_VALUE = 1024;
const PROPERTY_FIELD = /^properties\.([A-Za-z][A-Za-z0-9_]{0,63})$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

/**
 * Validates the conditions that a caller sent. Each element is a condition or a group {and: […]}, {or: […]} or
 * {not: …}. Throws `invalid_arguments` with the path of every fault.
 */
export function parseFilters(given: readonly object[], rules: ContactRules): FilterNode[] {
  const faults = new FaultList();
  const parser = { rules, faults, count: 0 };
  const nodes = parseNodes(given, 'filters', 1, parser);
  if (parser.count > MOST_CONDITIONS) {
    faults.push({ path: 'filters', message: `must have at most ${MOST_CONDITIONS} conditions` });
  }
  if (faults.length > 0) throw invalidArguments(faults);
  return nodes;
}

interface Parser {
  readonly rules: ContactRules;
  readonly faults: FaultList;
  /** The number of conditions. */
  count: number;
}

function parseNodes(
  items: readonly unknown[],
  path: string,
  depth: number,
  parser: Parser,
): FilterNode[] {
  return items.flatMap((item, index) => {
    const node = parseNode(item, `${path}[${index}]`, depth, parser);
    return node ? [node] : [];
  });
}

function parseNode(
  item: unknown,
  path: string,
  depth: number,
  parser: Parser,
): FilterNode | undefined {
  const { faults, rules } = parser;
  const fault = (message: string): undefined => faults.push({ path, message }) as undefined;
  if (!isJsonObject(item)) return fault('must be a condition or a group {and}, {or} or {not}');
  const group = (['and', 'or', 'not'] as const).find((name) => Object.hasOwn(item, name));
  if (!group) {
    parser.count += 1;
    // All conditions become parts of one SQL statement, so parsing stops at the largest allowed number of conditions.
    return parser.count > MOST_CONDITIONS ? undefined : parseFilter(item, path, rules, faults);
  }
  if (Object.keys(item).length > 1) return fault(`must have nothing beside "${group}"`);
  if (depth >= DEEPEST) return fault(`is nested too deep: at most ${DEEPEST} levels`);
  const inner = item[group];
  if (group === 'not') {
    const node = parseNode(inner, `${path}.not`, depth + 1, parser);
    return node && { not: node };
  }
  if (!Array.isArray(inner) || inner.length === 0) return fault(`must have a list as "${group}"`);
  const nodes = parseNodes(
    inner.slice(0, MOST_CONDITIONS + 1),
    `${path}.${group}`,
    depth + 1,
    parser,
  );
  return group === 'and' ? { and: nodes } : { or: nodes };
}

/** Returns the phone numbers that conditions compare with, so that their region can be looked up. */
export function phonesIn(given: unknown, depth = 1): string[] {
  if (Array.isArray(given))
    return given.slice(0, MOST_CONDITIONS).flatMap((item) => phonesIn(item, depth));
  if (!isJsonObject(given) || depth > DEEPEST) return [];
  const { field, value, and, or, not } = given;
  if (field !== 'phone') return [and, or, not].flatMap((inner) => phonesIn(inner, depth + 1));
  return [value].flat().filter((each) => typeof each === 'string');
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
      `must be one of ${[...Object.keys({ ...TEXT_FIELDS, ...TIME_FIELDS }), ...ACTIVITY_FIELDS].join(', ')}, tags, segment, ` +
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
  if (Array.isArray(given) && operator !== 'in' && operator !== 'between') {
    return fault('value', field.kind === 'property' ? WRONG_TYPE : 'must be text');
  }
  if (operator === 'in' && (!Array.isArray(given) || given.length > MOST_VALUES)) {
    return fault('value', `must be a list of at most ${MOST_VALUES} values`);
  }
  if (operator === 'between' && !(Array.isArray(given) && given.length === 2)) {
    return fault('value', 'must be a list of the lowest and the highest value');
  }
  if (operator === 'within_days') {
    const isDays = Number.isInteger(given) && Number(given) >= 1 && Number(given) <= MOST_DAYS;
    return isDays
      ? { ...field, operator, values: [Number(given)] }
      : fault('value', `must be a whole number of days from 1 to ${MOST_DAYS}`);
  }
  const values: FilterValue[] = [];
  for (const value of Array.isArray(given) ? (given as unknown[]) : [given]) {
    const parsed = parseValue(field, operator, value, rules);
    if ('fault' in parsed) return fault('value', parsed.fault);
    values.push(parsed.value);
  }
  if (operator === 'between' && typeof values[0] !== typeof values[1]) {
    return fault('value', 'must have two values of one type');
  }
  return { ...field, operator, values };
}

function parseField(field: unknown): { kind: FilterKind; name: string } | undefined {
  if (typeof field !== 'string') return undefined;
  if (Object.hasOwn(TEXT_FIELDS, field)) return { kind: 'text', name: field };
  if (Object.hasOwn(TIME_FIELDS, field)) return { kind: 'time', name: field };
  const activity = ACTIVITY_FIELDS.find((name) => name === field);
  if (activity) return { kind: 'activity', name: activity };
  if (field === 'tags' || field === 'segment') return { kind: field, name: field };
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
    const ordered = (TIME_OPERATORS as readonly string[]).includes(operator);
    if (typeof value === 'number' || (typeof value === 'boolean' && !ordered)) return { value };
  }
  if (typeof value !== 'string') {
    return {
      fault: field.kind === 'property' ? WRONG_TYPE : 'must be text',
    };
  }
  if (value.length > LONGEST_VALUE)
    return { fault: `must have at most ${LONGEST_VALUE} characters` };
  switch (field.kind) {
    case 'time':
    case 'activity': {
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

/**
 * Returns true for operators that compare a whole address. With other operators, the value may be a part of an address.
 */
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
