import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerpt } from './data-message.js';

describe(excerpt, () => {
  it('returns the complete JSON if it is short enough', () => {
    const value = { a: 'x'.repeat(5000), b: [1, null, true] };
    expect(JSON.parse(excerpt(value, 10_000))).toEqual(value);
  });

  it('shortens texts and lists, and adds the number of missing entries', () => {
    const value = { text: 'x'.repeat(5000), list: Array.from({ length: 1000 }, () => 'y') };
    const text = excerpt(value, 3000);
    const { text: short, list } = JSON.parse(text) as { text: string; list: string[] };
    expect(short).toBe(`${'x'.repeat(1000)}… (4000 more)`);
    expect(list).toHaveLength(101);
    expect(list.at(-1)).toBe('… (900 more)');
  });

  it('never returns more than maxLength characters, and always returns well-formed text', () => {
    const property = fc.property(
      fc.jsonValue({ maxDepth: 3 }),
      fc.integer({ min: 10, max: 400 }),
      (value, most) => {
        const text = excerpt({ value, again: [value, value, '😀'.repeat(300)] }, most);
        expect(text.length).toBeLessThanOrEqual(most);
        expect(text.isWellFormed()).toBe(true);
      },
    );
    fc.assert(property, { numRuns: 50 });
  });
});
