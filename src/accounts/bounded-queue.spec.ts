import { describe, expect, it } from 'vitest';
import { BoundedQueue } from './bounded-queue.js';

describe(BoundedQueue, () => {
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  it('runs a limited amount of work at the same time, in order, and refuses work when the queue is full', async () => {
    const queue = new BoundedQueue(2, 2);
    const started: number[] = [];
    const ends: (() => void)[] = [];
    const work = (number: number) => () => {
      started.push(number);
      return new Promise<number>((resolve) => ends.push(() => resolve(number)));
    };
    const results = [1, 2, 3, 4].map((number) => queue.run(work(number)));
    await expect(queue.run(work(5))).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: 2,
    });
    expect(started).toEqual([1, 2]);
    ends[1]!();
    await settle();
    expect(started).toEqual([1, 2, 3]);
    ends[0]!();
    await settle();
    ends[2]!();
    ends[3]!();
    expect(await Promise.all(results)).toEqual([1, 2, 3, 4]);
  });

  it('continues after work that fails', async () => {
    const queue = new BoundedQueue(1, 1);
    const failed = queue.run(() => Promise.reject(new Error('no')));
    const next = queue.run(() => Promise.resolve('next'));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('next');
    expect(await queue.run(() => Promise.resolve('later'))).toBe('later');
  });
});
