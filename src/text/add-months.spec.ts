import { describe, expect, it } from 'vitest';
import { addMonths } from './add-months.js';

describe(addMonths, () => {
  it.each([
    ['2026-01-31T10:20:30.400Z', 1, '2026-02-28T10:20:30.400Z'],
    ['2028-01-31T00:00:00.000Z', 1, '2028-02-29T00:00:00.000Z'],
    ['2026-01-31T23:59:59.999Z', 3, '2026-04-30T23:59:59.999Z'],
    ['2026-12-15T12:00:00.000Z', 1, '2027-01-15T12:00:00.000Z'],
    ['2026-03-31T12:00:00.000Z', -1, '2026-02-28T12:00:00.000Z'],
    ['2028-02-29T12:00:00.000Z', 12, '2029-02-28T12:00:00.000Z'],
    ['2026-05-31T12:00:00.000Z', -27, '2024-02-29T12:00:00.000Z'],
  ])('moves %s by %i months to %s', (from, months, to) => {
    expect(new Date(addMonths(Date.parse(from), months)).toISOString()).toBe(to);
  });
});
