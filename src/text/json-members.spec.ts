import { describe, expect, it } from 'vitest';
import { PARSE_LIMITS, ParseCost, isCostlyToParse, mayHaveMoreMembers } from './json-members.js';

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

describe(isCostlyToParse, () => {
  const { characters, members, names } = PARSE_LIMITS;
  const padding = JSON.stringify('x'.repeat(1024 * 1024));

  it.each([
    ['members', `[${padding}${',1'.repeat(members)}]`],
    ['lists', `[${padding},${'['.repeat(members)}`],
    ['names', `{"a":${padding}${',"a":1'.repeat(names)}}`],
    ['characters', JSON.stringify('x'.repeat(characters))],
  ])('finds JSON with too many %s', (_what, json) => {
    expect(isCostlyToParse(json)).toBe(true);
  });

  it.each([
    ['members', `[${padding}${',1'.repeat(members - 1)}]`],
    ['names', `{"a":${padding}${',"a":1'.repeat(names - 1)}}`],
    ['signs in texts', JSON.stringify('{[:,"'.repeat(members))],
    ['100,000 items with two members', `[${Array(100_000).fill('{"a":1,"b":2}').join()}]`],
    ['signs in a text of 1 MiB', '{'.repeat(1024 * 1024)],
  ])('accepts JSON at or below the limits: %s', (_what, json) => {
    expect(isCostlyToParse(json)).toBe(false);
  });

  it('adds up the cost of several texts, until it is cleared', () => {
    const cost = new ParseCost();
    const half = `[${padding}${',1'.repeat(members / 2)}]`;
    expect([cost.add(half), cost.add(half)]).toEqual([true, false]);
    cost.clear();
    expect(cost.add(half)).toBe(true);
  });
});
