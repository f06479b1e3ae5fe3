import { describe, expect, it } from 'vitest';
import { CONSENT_CHANNELS } from '../../../src/contacts/consent.js';
import { NO_RULES } from '../../../src/contacts/contact-rules.js';
import { parseFilters } from '../../../src/contacts/contact-filter.js';
import {
  OPERATORS as ALL_OPERATORS,
  TEXT_FIELDS,
  TIME_FIELDS,
} from '../../../src/contacts/filter-fields.js';
import {
  FIELD_OPERATORS,
  type Operator,
  needsValue,
  readFilters,
  readFilterValue,
  showFilterValue,
} from './contact-filters.js';

/** Returns whether the service accepts an operator for a field. */
function takes(field: string, operator: Operator): boolean {
  const valid = field.startsWith('consent.') ? 'granted' : '2026-01-01';
  const values: Partial<Record<Operator, unknown>> = {
    in: [valid],
    between: [valid, valid],
    within_days: 1,
  };
  const value = values[operator] ?? (needsValue(operator) ? valid : undefined);
  try {
    parseFilters([{ field, operator, value }], NO_RULES);
    return true;
  } catch {
    return false;
  }
}

describe(readFilters, () => {
  it('reads the valid conditions from the URL of the page, and leaves out all other entries', () => {
    const condition = { field: 'email', operator: 'contains', value: 'a' };
    const given = [condition, { field: 1, operator: 'equals' }, { field: 'a', operator: 'x' }, 7];
    expect(readFilters(given)).toEqual([condition]);
    expect(readFilters('x')).toEqual([]);
  });
});

describe('FIELD_OPERATORS', () => {
  it('has every field and operator of search_contacts', () => {
    const faults = [...FIELD_OPERATORS].flatMap(([field, operators]) => {
      const name = field.endsWith('.') ? `${field}x` : field;
      return ALL_OPERATORS.filter(
        (operator) => operators.includes(operator) !== takes(name, operator),
      ).map((operator) => `${field} ${operator}`);
    });
    expect(faults).toEqual([]);
    const fields = [...FIELD_OPERATORS.keys()];
    expect(fields).toEqual(
      expect.arrayContaining([...Object.keys(TEXT_FIELDS), ...Object.keys(TIME_FIELDS)]),
    );
    expect(fields).toEqual(
      expect.arrayContaining(CONSENT_CHANNELS.map((name) => `consent.${name}`)),
    );
  });
});

describe(readFilterValue, () => {
  it('reads numbers and booleans in properties only', () => {
    expect(readFilterValue('properties.seats', 'greater_than', '5')).toBe(5);
    expect(readFilterValue('properties.vip', 'equals', 'true')).toBe(true);
    expect(readFilterValue('phone', 'equals', '5')).toBe('5');
  });

  it('reads a list of values for `in`, and no value for `is_set`', () => {
    expect(readFilterValue('tags', 'in', 'a, b,,')).toEqual(['a', 'b']);
    expect(readFilterValue('tags', 'is_set', 'a')).toBeUndefined();
  });
});

describe(showFilterValue, () => {
  it('shows a list as it was typed', () => {
    expect(showFilterValue('properties.x', ['a', 1])).toBe('a, 1');
  });

  it.each(['5', 'true', '"x"', 'plain', ''])(
    'shows the text %j in a form that is read as the same text',
    (text) => {
      const shown = showFilterValue('properties.x', text);
      expect(readFilterValue('properties.x', 'equals', shown)).toBe(text);
      expect(showFilterValue('email', text)).toBe(text);
    },
  );
});
