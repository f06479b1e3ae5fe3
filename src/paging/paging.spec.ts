import { describe, expect, it } from 'vitest';
import { pageOf, readCursor, readTimeCursor, timeCursor, writeCursor } from './paging.js';

describe(pageOf, () => {
  it('returns a cursor only if there are more rows than the limit', () => {
    expect(pageOf([1, 2, 3], 2, String)).toEqual({ page: [1, 2], nextCursor: '2' });
    expect(pageOf([1, 2], 2, String)).toEqual({ page: [1, 2], nextCursor: null });
    expect(pageOf([], 2, String)).toEqual({ page: [], nextCursor: null });
    const size = (kib: number): number => kib * 1024;
    expect(pageOf([60, 60, 60], 3, String, size)).toEqual({ page: [60, 60], nextCursor: '60' });
    expect(pageOf([500, 1], 3, String, size)).toEqual({ page: [500], nextCursor: '500' });
    expect(pageOf([1, 2], 3, String, size)).toEqual({ page: [1, 2], nextCursor: null });
  });
});

describe(readTimeCursor, () => {
  it('decodes the cursors of timeCursor, and returns undefined for the first page', () => {
    const createdAt = new Date('2026-01-02T03:04:05.678Z');
    const cursor = timeCursor({ createdAt, id: 'run_1' });
    expect(readTimeCursor(cursor)).toEqual({ at: createdAt, id: 'run_1' });
    expect(readTimeCursor(undefined)).toBeUndefined();
  });

  it.each([
    'x',
    '',
    ...[null, {}, [], [1], ['1', 'a'], [-1, 'a'], [1.5, 'a'], [1e20, 'a'], [1, 2], [1, '\0']].map(
      (value) => writeCursor(value as unknown[]),
    ),
    writeCursor([1, 'a', 2]),
  ])('refuses %j', (cursor) => {
    expect(() => readTimeCursor(cursor)).toThrow('cursor was not returned by this tool');
  });
});

describe(readCursor, () => {
  it('decodes the cursors of writeCursor', () => {
    expect(readCursor(writeCursor(['a', null, 7]))).toEqual(['a', null, 7]);
  });
});
