import { describe, expect, it } from 'vitest';
import {
  addPrevious,
  latestEnd,
  readPrevious,
  validAt,
  writePrevious,
} from './previous-secrets.js';

describe(addPrevious, () => {
  const first = addPrevious([], 'a', 100, 0);

  it('keeps each earlier secret until its own time', () => {
    const second = addPrevious(first, 'b', 10, 50_000);
    expect(second).toEqual([
      { secret: 'b', until: 60_000 },
      { secret: 'a', until: 100_000 },
    ]);
    expect(latestEnd(second)).toEqual(new Date(100_000));
    expect(validAt(second, 60_000).map(({ secret }) => secret)).toEqual(['a']);
    expect(addPrevious(second, 'c', 10, 60_000).map(({ secret }) => secret)).toEqual(['c', 'a']);
  });

  it('ends all overlaps when the new secret has no overlap', () => {
    const replaced = addPrevious(first, 'b', 0, 50_000);
    expect(replaced).toEqual([{ secret: 'b', until: null }]);
    expect(latestEnd(replaced)).toBeNull();
  });

  it('keeps the earlier secrets when the current secret cannot be read', () => {
    expect(addPrevious(first, null, 10, 50_000)).toEqual(first);
  });

  it('returns a result that can be written and read again without a change', () => {
    expect(readPrevious(writePrevious(first))).toEqual(first);
  });
});
