import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  PARSE_LIMITS,
  ParseCost,
  hasMoreNames,
  isCostlyToParse,
  mayHaveMoreMembers,
  measureMembers,
} from './json-members.js';

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

describe(hasMoreNames, () => {
  it('counts different names', () => {
    expect(hasMoreNames('{"a":1,"b":{"c":[{"d": 1}]}}', 3)).toBe(true);
    expect(hasMoreNames('{"a":1,"b":{"c":[{"d": 1}]}}', 4)).toBe(false);
  });

  it('counts neither repeated names nor texts', () => {
    expect(hasMoreNames('[{"a":1},{"a":"b:c"},{"a":["\\":","d"]}]', 1)).toBe(false);
  });

  it('copies a string once, even if many colons follow the string in invalid JSON', () => {
    const slice = vi.spyOn(String.prototype, 'slice');
    expect(hasMoreNames(`"${'a'.repeat(100)}"${':'.repeat(100)}`, 4)).toBe(false);
    expect(slice).toHaveBeenCalledTimes(1);
    slice.mockRestore();
  });
});

describe(measureMembers, () => {
  const measure = (value: unknown, depth = 0): { members: number; depth: number } => {
    if (typeof value !== 'object' || value === null) return { members: 0, depth };
    const all = Object.values(value).map((item: unknown) => measure(item, depth + 1));
    return {
      members: all.reduce((sum, { members }) => sum + members + 1, 0),
      depth: Math.max(depth + 1, ...all.map((one) => one.depth)),
    };
  };

  it('counts the members and the levels of any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat(2), (value, spaces) => {
        const json = JSON.stringify(value, null, spaces);
        // Two names of the same object cannot be the same here.
        expect(measureMembers(json, Infinity)).toEqual(measure(JSON.parse(json)));
      }),
    );
  });

  it('counts a name each time an object repeats it', () => {
    expect(measureMembers('{"a":1,"a":[[]]}', 9)).toEqual({ members: 3, depth: 3 });
  });

  it('stops above the limit', () => {
    expect(measureMembers(`[${'1,'.repeat(50)}1]`, 9).members).toBe(10);
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
    ['digits', `[${padding}${`,0.${'7'.repeat(999)}`.repeat(members / 40)}]`],
  ])('finds JSON with too many %s', (_what, json) => {
    expect(isCostlyToParse(json)).toBe(true);
  });

  it.each([
    ['members', `[${padding}${',1'.repeat(members - 1)}]`],
    ['names', `{"a":${padding}${',"a":1'.repeat(names - 1)}}`],
    ['signs in texts', JSON.stringify('{[:,"'.repeat(members))],
    ['100,000 items with two members', `[${Array(100_000).fill('{"a":1,"b":2}').join()}]`],
    ['numbers of JavaScript', `[${padding}${`,${-Number.MAX_VALUE / 3}`.repeat(members - 1)}]`],
    ['digits in texts', JSON.stringify('7'.repeat(20 * members))],
    ['signs in a text of 1 MiB', '{'.repeat(1024 * 1024)],
  ])('accepts JSON at or below the limits: %s', (_what, json) => {
    expect(isCostlyToParse(json)).toBe(false);
  });

  it('adds up the cost of several texts until the sum is cleared', () => {
    const cost = new ParseCost();
    const half = `[${padding}${',1'.repeat(members / 2)}]`;
    expect([cost.add(half), cost.add(half)]).toEqual([true, false]);
    cost.clear();
    expect(cost.add(half)).toBe(true);
  });
});
