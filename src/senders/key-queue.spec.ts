import { describe, expect, it } from 'vitest';
import { KeyQueue } from './key-queue.js';

/** Queues work that ends when the test says so, and lists the work that has begun. */
function setUp() {
  const queue = new KeyQueue();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const run = (organizationId: string, name: string): Promise<string> =>
    queue.run(organizationId, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return name;
    });
  const endNext = async (call: Promise<unknown>): Promise<void> => {
    ends.shift()!();
    await call;
  };
  return { run, begun, ends, endNext };
}

describe('KeyQueue', () => {
  it('makes one key at a time, and organizations take turns', async () => {
    const { run, begun, endNext } = setUp();
    const calls = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1')];
    expect(begun).toEqual(['a1']);
    await endNext(calls[0]!);
    expect(begun).toEqual(['a1', 'a2']);
    await endNext(calls[1]!);
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    await endNext(calls[3]!);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
    await endNext(calls[2]!);
  });

  it('refuses a call when three calls of the organization wait, and accepts calls of other organizations', async () => {
    const { run, begun, endNext } = setUp();
    const calls = [1, 2, 3, 4].map((number) => run('a', `a${number}`));
    await expect(run('a', 'a5')).rejects.toMatchObject({ code: 'rate_limited' });
    const other = run('b', 'b1');
    for (const call of [calls[0]!, calls[1]!, other, calls[2]!, calls[3]!]) await endNext(call);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
  });

  it('makes the next key after a failure', async () => {
    const queue = new KeyQueue();
    const failed = queue.run('a', () => Promise.reject(new Error('no key')));
    const next = queue.run('a', () => Promise.resolve('key'));
    await expect(failed).rejects.toThrow('no key');
    expect(await next).toBe('key');
  });
});
