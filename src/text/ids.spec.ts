import { describe, expect, it } from 'vitest';
import { newId, randomBase62 } from './ids.js';

describe(newId, () => {
  it('returns a different id each time', () => {
    const ids = Array.from({ length: 5000 }, () => newId('run'));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^run_[0-9A-Za-z]{22}$/);
  });
});

describe(randomBase62, () => {
  it('returns the requested length, with every character about equally often', () => {
    const text = randomBase62(62_000);
    expect(text).toHaveLength(62_000);
    const counts = new Map<string, number>();
    for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // The average is 1,000. The probability of a difference of 300 is below 10^-20.
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(300);
  });
});
