import { describe, expect, it } from 'vitest';
import { ByteBudget } from './byte-budget.js';

const NEVER = new AbortController().signal;

describe('ByteBudget', () => {
  it('lets callers of an organization wait in order until enough bytes are released', async () => {
    const budget = new ByteBudget(20);
    const first = await budget.acquire('a', 6, NEVER);
    const order: string[] = [];
    const large = budget.acquire('a', 8, NEVER).then((release) => (order.push('large'), release));
    const small = budget.acquire('a', 2, NEVER).then((release) => (order.push('small'), release));
    await Promise.resolve();
    expect(order).toEqual([]);
    first();
    first();
    (await large)();
    await small;
    expect(order).toEqual(['large', 'small']);
  });

  it('gives an organization at most half of the bytes, and other organizations get the rest without a wait', async () => {
    const budget = new ByteBudget(20);
    await budget.acquire('a', 10, NEVER);
    let isStarted = false;
    void budget.acquire('a', 1, NEVER).then(() => (isStarted = true));
    await budget.acquire('b', 10, NEVER);
    expect(isStarted).toBe(false);
  });

  it('lets waiting organizations take turns, and lets nobody pass the caller whose turn it is', async () => {
    const budget = new ByteBudget(20);
    const releases = [await budget.acquire('a', 10, NEVER), await budget.acquire('b', 10, NEVER)];
    const order: string[] = [];
    const wait = (organizationId: string, bytes: number): Promise<void> =>
      budget.acquire(organizationId, bytes, NEVER).then((release) => {
        order.push(organizationId);
        release();
      });
    const waits = [wait('c', 6), wait('c', 6), wait('c', 6), wait('d', 10), wait('e', 1)];
    releases[0]!();
    await Promise.all(waits);
    expect(order).toEqual(['c', 'd', 'e', 'c', 'c']);
  });

  it('serves the callers that wait behind a caller that gives up', async () => {
    const budget = new ByteBudget(10);
    await budget.acquire('a', 5, NEVER);
    await budget.acquire('b', 2, NEVER);
    const gone = new AbortController();
    const large = budget.acquire('c', 5, gone.signal);
    const small = budget.acquire('d', 3, NEVER);
    gone.abort(new Error('gone'));
    await expect(large).rejects.toThrow('gone');
    await small;
  });

  it('grants a request for more than half of the bytes when the organization has no other bytes', async () => {
    const budget = new ByteBudget(20);
    (await budget.acquire('a', 100, NEVER))();
    await budget.acquire('a', 10, NEVER);
  });

  it('reserves bytes without a wait only when the bytes are free and no caller waits for them', async () => {
    const budget = new ByteBudget(20);
    const first = budget.tryReserve('a', 10)!;
    expect(budget.tryReserve('a', 1)).toBeUndefined();
    const other = budget.tryReserve('b', 8)!;
    expect(budget.tryReserve('c', 3)).toBeUndefined();
    const waiting = budget.acquire('c', 3, NEVER);
    expect(budget.tryReserve('d', 1)).toBeUndefined();
    first.release();
    (await waiting)();
    other.release();
    expect(budget.tryReserve('d', 10)).toBeDefined();
  });

  it('reserves bytes without a wait when the only waiting organization has used up its share', async () => {
    const budget = new ByteBudget(20);
    const first = await budget.acquire('a', 9, NEVER);
    const waiting = budget.acquire('a', 4, NEVER);
    const other = budget.tryReserve('b', 8);
    expect(other).toBeDefined();
    expect(budget.tryReserve('a', 1)).toBeUndefined();
    first();
    (await waiting)();
  });

  it('reserves no bytes without a wait when a waiting organization has not used up its share', async () => {
    const budget = new ByteBudget(20);
    await budget.acquire('a', 10, NEVER);
    await budget.acquire('b', 5, NEVER);
    void budget.acquire('a', 1, NEVER);
    void budget.acquire('c', 6, NEVER);
    expect(budget.tryReserve('b', 1)).toBeUndefined();
  });

  it('releases bytes in parts, and each byte only once', async () => {
    const budget = new ByteBudget(20);
    const held = await budget.reserve('a', 10, NEVER);
    const waiting = budget.acquire('a', 6, NEVER);
    expect(held.release(6)).toBe(6);
    await waiting;
    expect(budget.tryReserve('a', 1)).toBeUndefined();
    expect([held.release(10), held.release()]).toEqual([4, 0]);
    expect(budget.tryReserve('a', 4)).toBeDefined();
    expect(budget.tryReserve('a', 1)).toBeUndefined();
  });
});
