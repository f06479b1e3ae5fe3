import { describe, expect, it } from 'vitest';
import { RecentlyUsed } from './recently-used.js';

describe(RecentlyUsed.name, () => {
  it('forgets what was asked for longest ago', () => {
    const used = new RecentlyUsed<number>(2);
    used.set('a', 1);
    used.set('b', 2);
    expect(used.get('a')).toBe(1);
    used.set('c', 3);
    expect([used.get('a'), used.get('b'), used.get('c')]).toEqual([1, undefined, 3]);
    used.set('c', 4);
    expect([used.get('a'), used.get('c')]).toEqual([1, 4]);
  });
});
