import { describe, expect, it } from 'vitest';
import { ByteBudget } from './byte-budget.js';

const NEVER = new AbortController().signal;

describe('ByteBudget', () => {
  it('lets callers wait in order until enough bytes are released', async () => {
    const budget = new ByteBudget(10);
    const first = await budget.acquire(6, NEVER);
    const order: string[] = [];
    const large = budget.acquire(8, NEVER).then((release) => (order.push('large'), release));
    const small = budget.acquire(2, NEVER).then((release) => (order.push('small'), release));
    await Promise.resolve();
    expect(order).toEqual([]);
    first();
    first();
    (await large)();
    await small;
    expect(order).toEqual(['large', 'small']);
  });

  it('serves the callers that wait behind a caller that gives up', async () => {
    const budget = new ByteBudget(10);
    await budget.acquire(6, NEVER);
    const gone = new AbortController();
    const large = budget.acquire(8, gone.signal);
    const small = budget.acquire(4, NEVER);
    gone.abort(new Error('gone'));
    await expect(large).rejects.toThrow('gone');
    await small;
  });

  it('grants a request for more than the total when everything is free', async () => {
    const budget = new ByteBudget(10);
    (await budget.acquire(100, NEVER))();
    await budget.acquire(10, NEVER);
  });
});
