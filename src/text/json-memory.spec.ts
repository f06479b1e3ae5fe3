import { describe, expect, it } from 'vitest';
import { jsonMemory, MOST_JSON_MEMORY } from './json-memory.js';

describe(jsonMemory, () => {
  it.each([
    ['short objects', '{},', 64],
    ['short lists', '[],', 40],
    ['lists of one number', '[1],', 64],
    ['lists of lists', '[[]],', 96],
    ['numbers', '1,', 8],
  ])('returns at least the heap bytes of V8 for %s', (_, element, heapBytes) => {
    expect(jsonMemory(element)).toBeGreaterThanOrEqual(heapBytes);
  });

  it.each([
    ['objects with an index as name', '{"99":0},', 208],
    ['objects with names of their own', '{"a4z":0},', 185],
  ])('returns at least half of the heap bytes of V8 for %s', (_, element, heapBytes) => {
    expect(jsonMemory(element) * 2).toBeGreaterThanOrEqual(heapBytes);
  });

  it('estimates at most 4 bytes of memory for each character of the JSON of an ordinary contact', () => {
    const contact = JSON.stringify({
      id: 'con_4f2a',
      first_name: 'Ada',
      email: 'ada@example.com',
      tags: ['vip'],
      address: { city: 'London', zip: 'N1 9GU' },
      created_at: '2026-01-01T00:00:00.000Z',
    });
    expect(jsonMemory(contact)).toBeLessThan(4 * contact.length);
  });

  it('never returns more than MOST_JSON_MEMORY bytes for each character', () => {
    expect(jsonMemory('{'.repeat(10))).toBe(10 * MOST_JSON_MEMORY);
  });
});
