import type { ObjectLiteral } from 'typeorm';
import { type ContactFilter, TEXT_FIELDS, TIME_FIELDS } from './contact-filter.js';

/** A condition of a WHERE clause about the alias `contact`. Values from callers are always parameters, never SQL. */
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
  const [first] = filter.values;
  const pattern = `${filter.operator === 'starts_with' ? '' : '%'}${escapeLike(String(first))}%`;
  switch (filter.kind) {
    case 'text': {
      const column = `contact.${TEXT_FIELDS[filter.name as keyof typeof TEXT_FIELDS]}`;
      return textCondition(filter, column, value, pattern);
    }
    case 'time': {
      const column = `contact.${TIME_FIELDS[filter.name as keyof typeof TIME_FIELDS]}`;
      const operator = filter.operator === 'less_than' ? '<' : '>';
      return {
        sql: `${column} ${operator} :${value}`,
        parameters: { [value]: new Date(String(first)) },
      };
    }
    case 'tags':
      return tagsCondition(filter, value);
    case 'consent': {
      const column = `(contact.consent -> :${name} ->> 'status')`;
      const condition = textCondition(filter, column, value, pattern);
      return { ...condition, parameters: { ...condition.parameters, [name]: filter.name } };
    }
    case 'property': {
      const condition = propertyCondition(filter, name, value, pattern);
      return { ...condition, parameters: { ...condition.parameters, [name]: filter.name } };
    }
  }
}

/**
 * Compares a text column. A contact without a value matches `not_equals` and `not_contains`. The collation "C" makes
 * ILIKE ignore the case of A to Z only, whatever the locale of the database is.
 */
function textCondition(
  filter: ContactFilter,
  column: string,
  value: string,
  pattern: string,
): Condition {
  const [first] = filter.values;
  switch (filter.operator) {
    case 'is_set':
      return { sql: `${column} is not null`, parameters: {} };
    case 'is_not_set':
      return { sql: `${column} is null`, parameters: {} };
    case 'not_equals':
      return { sql: `${column} is distinct from :${value}`, parameters: { [value]: first } };
    case 'in':
      return { sql: `${column} = any(:${value})`, parameters: { [value]: filter.values } };
    case 'contains':
    case 'starts_with':
      return { sql: `${column} collate "C" ilike :${value}`, parameters: { [value]: pattern } };
    case 'not_contains':
      return {
        sql: `(${column} is null or ${column} collate "C" not ilike :${value})`,
        parameters: { [value]: pattern },
      };
    default:
      return { sql: `${column} = :${value}`, parameters: { [value]: first } };
  }
}

function tagsCondition(filter: ContactFilter, value: string): Condition {
  const parameters = { [value]: filter.values };
  switch (filter.operator) {
    case 'is_set':
      return { sql: `cardinality(contact.tags) > 0`, parameters: {} };
    case 'is_not_set':
      return { sql: `cardinality(contact.tags) = 0`, parameters: {} };
    case 'not_contains':
      return { sql: `not contact.tags && cast(:${value} as text[])`, parameters };
    default:
      return { sql: `contact.tags && cast(:${value} as text[])`, parameters };
  }
}

/** Compares values of the same JSON type only: the text "5" does not equal the number 5, and no cast can fail. */
function propertyCondition(
  filter: ContactFilter,
  name: string,
  value: string,
  pattern: string,
): Condition {
  const [first] = filter.values;
  const json = `(contact.properties -> :${name})`;
  const text = `(contact.properties ->> :${name})`;
  const isText = `jsonb_typeof(${json}) = 'string'`;
  const asJson = { [value]: JSON.stringify(first) };
  switch (filter.operator) {
    case 'is_set':
      return { sql: `${json} is not null`, parameters: {} };
    case 'is_not_set':
      return { sql: `${json} is null`, parameters: {} };
    case 'not_equals':
      return { sql: `${json} is distinct from cast(:${value} as jsonb)`, parameters: asJson };
    case 'in':
      return {
        sql: `${json} = any(cast(:${value} as jsonb[]))`,
        parameters: { [value]: filter.values.map((item) => JSON.stringify(item)) },
      };
    case 'contains':
    case 'starts_with':
      return {
        sql: `(${isText} and ${text} collate "C" ilike :${value})`,
        parameters: { [value]: pattern },
      };
    case 'not_contains':
      return {
        sql: `(${isText} and ${text} collate "C" ilike :${value}) is not true`,
        parameters: { [value]: pattern },
      };
    case 'greater_than':
    case 'less_than': {
      const operator = filter.operator === 'less_than' ? '<' : '>';
      return typeof first === 'number'
        ? {
            sql: `(jsonb_typeof(${json}) = 'number' and ${json} ${operator} cast(:${value} as jsonb))`,
            parameters: asJson,
          }
        : {
            sql: `(${isText} and ${text} collate "C" ${operator} :${value})`,
            parameters: { [value]: first },
          };
    }
    default:
      return { sql: `${json} = cast(:${value} as jsonb)`, parameters: asJson };
  }
}
