import type { ObjectLiteral } from 'typeorm';
import {
  type ContactFilter,
  type FilterOperator,
  TEXT_FIELDS,
  TIME_FIELDS,
} from './contact-filter.js';

/** Holds a condition of a WHERE clause about the alias `contact`. Values from callers are parameters, never SQL. */
export interface Condition {
  sql: string;
  parameters: ObjectLiteral;
}

/** Escapes `text` for LIKE, so that its %, _ and \ match literally. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

/** Converts a filter to SQL. `index` makes its parameter names unique within one statement. */
export function filterCondition(filter: ContactFilter, index: number): Condition {
  const value = `filter${index}`;
  const name = `name${index}`;
  return {
    sql: toSql(filter, `:${value}`, `:${name}`),
    parameters: { [value]: toParameter(filter), [name]: filter.name },
  };
}

/** Maps operators to SQL. A table has the operators that `parseFilters` accepts for its kind of fields. */
type SqlTable = Partial<Record<FilterOperator, string>>;

function toSql(
  { kind, name: field, operator, values }: ContactFilter,
  value: string,
  name: string,
): string {
  switch (kind) {
    case 'text':
      return textSql(`contact.${TEXT_FIELDS[field as keyof typeof TEXT_FIELDS]}`, value)[operator]!;
    case 'consent':
      return textSql(`(contact.consent -> ${name} ->> 'status')`, value)[operator]!;
    case 'time':
      return timeSql(`contact.${TIME_FIELDS[field as keyof typeof TIME_FIELDS]}`, value)[operator]!;
    case 'tags':
      return tagsSql(value)[operator]!;
    case 'property':
      return propertySql(name, value, typeof values[0] === 'number')[operator]!;
  }
}

function toParameter({ kind, operator, values }: ContactFilter): unknown {
  const [first] = values;
  if (kind === 'tags') return values;
  if (kind === 'time') return new Date(String(first));
  if (operator === 'contains' || operator === 'not_contains')
    return `%${escapeLike(String(first))}%`;
  if (operator === 'starts_with') return `${escapeLike(String(first))}%`;
  const isOrder = operator === 'greater_than' || operator === 'less_than';
  const isJson = kind === 'property' && !(isOrder && typeof first === 'string');
  const comparable = isJson ? values.map((item) => JSON.stringify(item)) : values;
  return operator === 'in' ? comparable : comparable[0];
}

/**
 * Compares a text column. A contact without a value matches `not_equals` and `not_contains`. The collation "C" makes
 * ILIKE ignore the case of A to Z only, whatever the locale of the database is.
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

function timeSql(column: string, value: string): SqlTable {
  return { greater_than: `${column} > ${value}`, less_than: `${column} < ${value}` };
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

/** Compares values of the same JSON type only: the text "5" does not equal the number 5, and no cast can fail. */
function propertySql(name: string, value: string, isNumber: boolean): SqlTable {
  const json = `(contact.properties -> ${name})`;
  const jsonValue = `cast(${value} as jsonb)`;
  const isText = `jsonb_typeof(${json}) = 'string'`;
  const text = `(contact.properties ->> ${name}) collate "C"`;
  const matches = `(${isText} and ${text} ilike ${value})`;
  const is = (order: '<' | '>'): string =>
    isNumber
      ? `(jsonb_typeof(${json}) = 'number' and ${json} ${order} ${jsonValue})`
      : `(${isText} and ${text} ${order} ${value})`;
  return {
    equals: `${json} = ${jsonValue}`,
    not_equals: `${json} is distinct from ${jsonValue}`,
    contains: matches,
    not_contains: `${matches} is not true`,
    starts_with: matches,
    in: `${json} = any(cast(${value} as jsonb[]))`,
    greater_than: is('>'),
    less_than: is('<'),
    is_set: `${json} is not null`,
    is_not_set: `${json} is null`,
  };
}
