import { describe, expect, it } from 'vitest';
import { OrganizationQueue } from './organization-queue.js';

function takeAll(queue: OrganizationQueue<number>): string[] {
  const taken: string[] = [];
  for (let next = queue.shift(); next; next = queue.shift()) taken.push(next.join(' '));
  return taken;
}

describe('a queue of organizations', () => {
  it('gives organizations turns, and keeps the order of the items of each organization', () => {
    const queue = new OrganizationQueue<number>();
    for (const item of [1, 2, 3]) queue.push('a', item);
    queue.push('b', 4);
    queue.push('c', 5);
    expect(queue.count('a')).toBe(3);
    expect(takeAll(queue)).toEqual(['a 1', 'b 4', 'c 5', 'a 2', 'a 3']);
    expect(queue.isEmpty).toBe(true);
  });

  it('skips organizations that must not have a turn now, and keeps their place', () => {
    const queue = new OrganizationQueue<number>();
    queue.push('a', 1);
    queue.push('b', 2);
    queue.push('c', 3);
    expect(queue.shift((id) => id !== 'a')).toEqual(['b', 2]);
    expect(queue.shift(() => false)).toBeUndefined();
    expect(takeAll(queue)).toEqual(['a 1', 'c 3']);
  });

  it('finds an organization that waits', () => {
    const queue = new OrganizationQueue<number>();
    queue.push('a', 1);
    queue.push('b', 2);
    expect(queue.some((id) => id === 'b')).toBe(true);
    expect(queue.some((id) => id === 'c')).toBe(false);
  });

  it('removes items that wait, and returns false for an item that does not wait', () => {
    const queue = new OrganizationQueue<number>();
    queue.push('a', 1);
    queue.push('a', 2);
    expect(queue.remove('a', 1)).toBe(true);
    expect(queue.remove('a', 1)).toBe(false);
    expect(queue.remove('b', 2)).toBe(false);
    expect(queue.remove('a', 2)).toBe(true);
    expect(queue.isEmpty).toBe(true);
  });
});
