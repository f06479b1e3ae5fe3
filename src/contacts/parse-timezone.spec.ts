import { describe, expect, it } from 'vitest';
import { parseTimezone } from './parse-field.js';

describe(parseTimezone, () => {
  it.each([
    ['IST', 'Asia/Calcutta'],
    ['BST', 'Asia/Dhaka'],
    ['CET', 'Europe/Brussels'],
  ])('returns the full name for %s, which PostgreSQL would read as another zone', (text, zone) => {
    expect(parseTimezone(text)).toEqual({ value: zone });
  });

  it.each(['Europe/Berlin', 'Asia/Kolkata', 'UTC', 'GMT'])('returns %s unchanged', (text) => {
    expect(parseTimezone(text)).toEqual({ value: text });
  });
});
