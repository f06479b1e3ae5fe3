import { describe, expect, it } from 'vitest';
import { mayHaveMoreMembers } from './json-members.js';

describe(mayHaveMoreMembers, () => {
  it.each([
    ['objects', '[{},{},{}]'],
    ['lists in lists', '[[[[[[]]]]]]'],
    ['numbers', '[1,2,3,4,5,6]'],
    ['names', '{"a":1,"b":2,"c":3,"d":4,"e":5}'],
    ['values after escaped quotes', String.raw`["\"","\\",1,2,3]`],
  ])('returns true for many %s', (_, json) => {
    expect(mayHaveMoreMembers(json, 4)).toBe(true);
  });

  it.each([
    ['few values', '[1,2,3,4]'],
    ['signs in a string', JSON.stringify('[{,'.repeat(20))],
    ['signs after quotes and backslashes in a string', JSON.stringify('"\\[,{"\\\\,,,,,')],
    ['a string without an end', '"[[[[[[['],
    ['a string that ends with a backslash', String.raw`"[[[[[[[\"`],
  ])('returns false for %s', (_, json) => {
    expect(mayHaveMoreMembers(json, 4)).toBe(false);
  });
});
