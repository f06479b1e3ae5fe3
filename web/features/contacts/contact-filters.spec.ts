import { describe, expect, it } from 'vitest';
import { readFilters, readFilterValue, showFilterValue } from './contact-filters.js';

describe(readFilters, () => {
  it('keeps conditions and leaves out anything else of an address', () => {
    const condition = { field: 'email', operator: 'contains', value: 'a' };
    const given = [condition, { field: 1, operator: 'equals' }, { field: 'a', operator: 'x' }, 7];
    expect(readFilters(given)).toEqual([condition]);
    expect(readFilters('x')).toEqual([]);
  });
});

describe(readFilterValue, () => {
  it('reads numbers and booleans in properties only', () => {
    expect(readFilterValue('properties.seats', 'greater_than', '5')).toBe(5);
    expect(readFilterValue('properties.vip', 'equals', 'true')).toBe(true);
    expect(readFilterValue('phone', 'equals', '5')).toBe('5');
  });

  it('reads a list for `in`, and nothing for `is_set`', () => {
    expect(readFilterValue('tags', 'in', 'a, b,,')).toEqual(['a', 'b']);
    expect(readFilterValue('tags', 'is_set', 'a')).toBeUndefined();
  });
});

describe(showFilterValue, () => {
  it('shows a list as it was typed', () => expect(showFilterValue(['a', 1])).toBe('a, 1'));
});
