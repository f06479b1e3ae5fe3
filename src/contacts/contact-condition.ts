import type { ObjectLiteral } from 'typeorm';
import {
  type ContactFilter,
  type FilterNode,
  type FilterOperator,
  type FilterValue,
  TEXT_FIELDS,
  TIME_FIELDS,
} from './filter-fields.js';

/** A condition of a WHERE clause about the alias `contact`. Values from callers are parameters, never SQL. */
export interface Condition {
  sql: string;
  parameters: ObjectLiteral;
}

/** Escapes `text` for LIKE, so that its %, _ and \ match literally. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

/** Converts conditions, which must all hold, to SQL. The names of the parameters are unique within one statement. */
export function filterCondition(nodes: readonly FilterNode[]): Condition {
  const parameters: ObjectLiteral = {};
  return { sql: allSql(nodes, parameters), parameters };
}

function allSql(nodes: readonly FilterNode[], parameters: ObjectLiteral): string {
  return nodes.map((node) => nodeSql(node, parameters)).join(' and ') || 'true';
}

/**
 * Converts a group or condition to SQL. Every group is in parentheses. A condition about a missing value is not
 * true, so its negation is true.
 */
function nodeSql(node: FilterNode, parameters: ObjectLiteral): string {
  if ('and' in node) return `(${allSql(node.and, parameters)})`;
  if ('or' in node) {
    return `(${node.or.map((child) => nodeSql(child, parameters)).join(' or ') || 'false'})`;
  }
  if ('not' in node) return `((${nodeSql(node.not, parameters)}) is not true)`;
  const index = Object.keys(parameters).length;
  const [value, high, name] = [`filter${index}`, `high${index}`, `name${index}`];
  const [low, highest] = toParameters(node);
  parameters[value] = low;
  parameters[high] = highest;
  parameters[name] = node.name;
  return `(${toSql(node, `:${value}`, `:${high}`, `:${name}`)})`;
}

const LAST_MESSAGE = `(select max(m.created_at) from messages m
  where m.organization_id = contact.organization_id and m.contact_id = contact.id)`;
const LAST_RUN = `(select max(r.created_at) from workflow_runs r
  where r.organization_id = contact.organization_id and r.contact_id = contact.id)`;
/** The SQL of each time. Each `max` reads one index entry. The time of a contact without such rows is null. */
const ACTIVITY_SQL = {
  last_message_at: LAST_MESSAGE,
  last_activity_at: `greatest(${LAST_MESSAGE}, ${LAST_RUN})`,
};

/**
 * The SQL of each operator for one kind of field. Contains exactly the operators that `parseFilters` accepts for this
 * kind.
 */
type SqlTable = Partial<Record<FilterOperator, string>>;

function toSql(
  { kind, name: field, operator, values }: ContactFilter,
  value: string,
  high: string,
  name: string,
): string {
  switch (kind) {
    case 'text':
      return textSql(`contact.${TEXT_FIELDS[field as keyof typeof TEXT_FIELDS]}`, value)[operator]!;
    case 'consent':
      return textSql(`(contact.consent -> ${name} ->> 'status')`, value)[operator]!;
    case 'time':
      return timeSql(`contact.${TIME_FIELDS[field as keyof typeof TIME_FIELDS]}`, value, high)[
        operator
      ]!;
    case 'activity':
      return timeSql(ACTIVITY_SQL[field as keyof typeof ACTIVITY_SQL], value, high)[operator]!;
    case 'tags':
      return tagsSql(value)[operator]!;
    case 'property':
      return propertySql(
        name,
        value,
        high,
        operator !== 'within_days' && typeof values[0] === 'number',
      )[operator]!;
    case 'segment':
      return segmentSql(value)[operator]!;
  }
}

/** Returns the parameter of a condition. For a condition with two bounds, also returns the upper bound. */
function toParameters(filter: ContactFilter): [value: unknown, high?: unknown] {
  const { kind, operator, values } = filter;
  if (operator === 'within_days') {
    const now = new Date();
    const start = new Date(now.getTime() - Number(values[0]) * 86_400_000);
    // Properties store dates as text. The lower bound has no time of day, so that it also matches a date of that day.
    return kind === 'property'
      ? [start.toISOString().slice(0, 10), now.toISOString()]
      : [start, now];
  }
  // `contains` finds a whole entry of a list, not a part of an entry.
  if (kind === 'property' && operator.endsWith('contains')) return [toParameter(filter), values[0]];
  if (operator !== 'between') return [toParameter(filter)];
  const bound = (value: FilterValue): unknown =>
    kind === 'property' && typeof value !== 'string'
      ? JSON.stringify(value)
      : kind === 'property'
        ? value
        : new Date(String(value));
  return [bound(values[0]!), bound(values[1]!)];
}

function toParameter({ kind, operator, values }: ContactFilter): unknown {
  const [first] = values;
  if (kind === 'tags') return values;
  if (kind === 'time' || kind === 'activity')
    return first === undefined ? null : new Date(String(first));
  if (operator === 'contains' || operator === 'not_contains')
    return `%${escapeLike(String(first))}%`;
  if (operator === 'starts_with') return `${escapeLike(String(first))}%`;
  const isOrder = ['greater_than', 'less_than', 'before', 'after'].includes(operator);
  const isJson = kind === 'property' && !(isOrder && typeof first === 'string');
  const comparable = isJson ? values.map((item) => JSON.stringify(item)) : values;
  return operator === 'in' ? comparable : comparable[0];
}

/**
 * Compares a text column. A contact without a value matches `not_equals` and `not_contains`. With the collation "C",
 * ILIKE ignores only the case of A to Z, whatever the locale of the database is.
 */
function textSql(column: string, value: string): SqlTable {
  return {
    equals: `${column} = ${value}`,
    not_equals: `${column} is distinct from ${value}`,
    contains: `${column} collate "C" ilike ${value}`,
    not_contains: `(${column} is null or ${column} collate "C" not ilike ${value})`,
    starts_with: `${column} collate "C" ilike ${value}`,
    in: `${column} = any(${value})`,
    is_set: `${column} is not null`,
    is_not_set: `${column} is null`,
  };
}

function timeSql(column: string, value: string, high: string): SqlTable {
  return {
    greater_than: `${column} > ${value}`,
    less_than: `${column} < ${value}`,
    after: `${column} > ${value}`,
    before: `${column} < ${value}`,
    between: `${column} between ${value} and ${high}`,
    within_days: `${column} between ${value} and ${high}`,
    is_set: `${column} is not null`,
    is_not_set: `${column} is null`,
  };
}

function tagsSql(value: string): SqlTable {
  const overlaps = `contact.tags && cast(${value} as text[])`;
  return {
    contains: overlaps,
    not_contains: `not ${overlaps}`,
    in: overlaps,
    is_set: 'cardinality(contact.tags) > 0',
    is_not_set: 'cardinality(contact.tags) = 0',
  };
}

/**
 * Tests whether a contact is a member of a static segment. With a scalar sub-select, PostgreSQL looks up each contact
 * in an index. With EXISTS, the plan may read all members of the segment first, although a page needs few contacts.
 */
function segmentSql(value: string): SqlTable {
  const is = `(select true from segment_members sm where sm.organization_id = contact.organization_id
    and sm.segment_id = ${value} and sm.contact_id = contact.id) is`;
  return { is: `${is} true`, is_not: `${is} not true` };
}

/** Compares values of the same JSON type only: the text "5" does not equal the number 5, and no cast can fail. */
function propertySql(name: string, value: string, high: string, isNumber: boolean): SqlTable {
  const json = `(contact.properties -> ${name})`;
  const jsonValue = `cast(${value} as jsonb)`;
  const isText = `jsonb_typeof(${json}) = 'string'`;
  const text = `(contact.properties ->> ${name}) collate "C"`;
  const matches = `(${isText} and ${text} ilike ${value})`;
  const contains = `(${matches} or (jsonb_typeof(${json}) = 'array' and ${json} @> to_jsonb(cast(${high} as text))))`;
  const isNumeric = `jsonb_typeof(${json}) = 'number'`;
  const is = (order: '<' | '>'): string =>
    isNumber
      ? `(${isNumeric} and ${json} ${order} ${jsonValue})`
      : `(${isText} and ${text} ${order} ${value})`;
  const isBetween = isNumber
    ? `(${isNumeric} and ${json} between ${jsonValue} and cast(${high} as jsonb))`
    : `(${isText} and ${text} between ${value} and ${high})`;
  return {
    equals: `${json} = ${jsonValue}`,
    not_equals: `${json} is distinct from ${jsonValue}`,
    contains,
    not_contains: `${contains} is not true`,
    starts_with: matches,
    in: `${json} = any(cast(${value} as jsonb[]))`,
    greater_than: is('>'),
    less_than: is('<'),
    after: is('>'),
    before: is('<'),
    between: isBetween,
    within_days: isBetween,
    is_set: `${json} is not null`,
    is_not_set: `${json} is null`,
  };
}
