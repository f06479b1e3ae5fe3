import { describe, expect, it } from 'vitest';
import { retryAfterSeconds } from './retry-after.js';

const NOW = Date.parse('2030-01-01T00:00:00Z');

describe(retryAfterSeconds, () => {
  it.each([
    ['0', 0],
    ['7', 7],
    [' 120 ', 120],
    ['86400', 3600],
    ['999999999', 3600],
    ['Tue, 01 Jan 2030 00:00:30 GMT', 30],
    ['Mon, 31 Dec 2029 00:00:00 GMT', 0],
    ['Tue, 01 Jan 2130 00:00:00 GMT', 3600],
    ['', undefined],
    ['soon', undefined],
    ['9'.repeat(400), undefined],
    [undefined, undefined],
  ])('reads %j as %j', (header, seconds) => {
    expect(retryAfterSeconds(header, NOW)).toBe(seconds);
  });
});
