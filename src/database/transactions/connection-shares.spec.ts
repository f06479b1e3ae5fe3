import { describe, expect, it } from 'vitest';
import { ConnectionShares } from './connection-shares.js';

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Takes `count` connections and returns the organizations in the order in which they got a connection. */
function taker(shares: ConnectionShares): {
  got: string[];
  take: (organizationId: string, count: number) => void;
} {
  const got: string[] = [];
  const take = (organizationId: string, count: number): void => {
    for (let index = 0; index < count; index += 1) {
      const wait = shares.take(organizationId);
      if (!wait) got.push(organizationId);
      else
        wait.then(
          () => got.push(organizationId),
          () => undefined,
        );
    }
  };
  return { got, take };
}

describe('the shares of connections', () => {
  it.each([
    [1, 1],
    [2, 1],
    [4, 3],
    [10, 7],
    [20, 14],
  ])('of a pool of %i give a single organization at most %i', (size, most) => {
    const { got, take } = taker(new ConnectionShares(size, 1000));
    take('a', size + 1);
    expect(got).toHaveLength(most);
  });

  it('leave a connection for each of the next three organizations', () => {
    const { got, take } = taker(new ConnectionShares(10, 1000));
    for (const organizationId of ['a', 'b', 'c', 'd']) {
      take(organizationId, 20);
      expect(got).toContain(organizationId);
    }
  });

  it('are given to waiting organizations in turn', async () => {
    const shares = new ConnectionShares(4, 1000);
    const { got, take } = taker(shares);
    take('a', 6);
    take('b', 3);
    take('c', 3);
    expect(got).toEqual(['a', 'a', 'a', 'b']);
    got.length = 0;
    for (const holder of ['a', 'a', 'a', 'b']) shares.release(holder);
    await settle();
    expect(new Set(got.slice(0, 3))).toEqual(new Set(['a', 'b', 'c']));
  });

  it('end a long wait with an error that can be retried, and keep the turns of other waiting calls', async () => {
    const shares = new ConnectionShares(2, 20);
    expect(shares.take('a')).toBeUndefined();
    await expect(shares.take('a')).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: 2,
    });
    expect(shares.take('b')).toBeUndefined();
    const next = shares.take('a');
    shares.release('a');
    await next;
    await expect(shares.take('a')).rejects.toThrow('slow');
  });

  it('are all free again when every call has released its connection', async () => {
    const shares = new ConnectionShares(10, 5000);
    let running = 0;
    let most = 0;
    const use = async (organizationId: string): Promise<void> => {
      await shares.take(organizationId);
      running += 1;
      most = Math.max(most, running);
      await settle();
      running -= 1;
      shares.release(organizationId);
    };
    await Promise.all(Array.from({ length: 500 }, (_, index) => use(`organization ${index % 7}`)));
    expect(most).toBeLessThanOrEqual(10);
    const { got, take } = taker(shares);
    take('a', 10);
    expect(got).toHaveLength(7);
  });
});
