import { describe, expect, it } from 'vitest';
import { minJsonLength } from './json-length.js';

describe(minJsonLength, () => {
  it('is at most the length of the JSON text', () => {
    const values = [null, 1, '', 'ab', [], [1, 'a', null], {}, { a: { b: [true] }, c: 'x' }, 'a"b'];
    for (const value of values) {
      const min = minJsonLength(value, 1000);
      expect(min).toBeLessThanOrEqual(JSON.stringify(value).length);
      expect(min * 6).toBeGreaterThanOrEqual(JSON.stringify(value).length);
    }
  });

  it('stops at the limit for a value whose JSON text would be longer than any string', () => {
    let value: unknown = 'x'.repeat(1000);
    for (let depth = 0; depth < 60; depth += 1) value = [value, { a: value }];
    expect(minJsonLength(value, 10_000)).toBeGreaterThan(10_000);
  });
});
