import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CallTurns } from './call-turns.js';

const MIB = 1024 * 1024;

describe(CallTurns, () => {
  it('starts 16 calls without a wait, and 16 more calls in the next turn of the event loop', async () => {
    const turns = new CallTurns();
    expect(startNow(turns, 'a', 20)).toBe(16);
    await turnOfEventLoop();
    await turnOfEventLoop();
    expect(startNow(turns, 'a', 20)).toBe(16);
  });

  it('lets an organization start its only call before most of the many calls of another organization', async () => {
    const turns = new CallTurns();
    const started: string[] = [];
    const take = async (id: string): Promise<void> => {
      await turns.take(id);
      started.push(id);
    };
    const calls = Array.from({ length: 1000 }, () => take('a'));
    await take('b');
    expect(started.length).toBeLessThanOrEqual(33);
    await Promise.all(calls);
    expect(started.filter((id) => id === 'a')).toHaveLength(1000);
  });

  it('starts a call of an organization before most of the unverified requests to this organization', async () => {
    const { turns, count, requests } = flood(() => 'network');
    await turns.take('a');
    expect(count()).toBeLessThanOrEqual(33);
    await requests;
  });

  it('starts an unverified request before most of those that another network sends to the same organization', async () => {
    const { turns, count, requests } = flood(() => 'network');
    await turns.takeUnverified('a', 'other network');
    expect(count()).toBeLessThanOrEqual(33);
    await requests;
    expect(count()).toBe(1000);
  });

  it('gives no more turns to unverified requests of a thousand networks than to those of one network', async () => {
    const { turns, count, requests } = flood((index) => `network ${index}`);
    await turns.takeUnverified('b', 'network');
    expect(count()).toBeLessThanOrEqual(33);
    await requests;
    expect(count()).toBe(1000);
  });

  it('lets small bodies wait only for other small bodies', async () => {
    const turns = new CallTurns();
    for (let count = 0; count < 50; count += 1) void turns.takeForBody('a', MIB);
    const waits = Array.from({ length: 16 }, () => turns.takeForBody('b', 16 * 1024));
    expect(waits.filter((wait) => wait !== undefined)).toEqual([]);
  });

  it('lets the part of a download wait for few of the parts of another organization, and for no bodies', async () => {
    const turns = new CallTurns();
    for (let count = 0; count < 50; count += 1) void turns.takeForBody('a', MIB);
    let started = 0;
    const take = async (id: string): Promise<void> => {
      await turns.takeForPart(id, 256 * 1024);
      started += 1;
    };
    const parts = Array.from({ length: 100 }, () => take('a'));
    await take('b');
    expect(started).toBeLessThanOrEqual(4);
    await Promise.all(parts);
    expect(started).toBe(101);
  });

  /** Adds bodies of 1 MiB until one is refused, and returns the number of the others. */
  const fill = (add: () => unknown): number => {
    for (let accepted = 0; accepted < 100; accepted += 1) {
      try {
        add();
      } catch (error) {
        expect(error).toMatchObject({ code: 'unavailable' });
        return accepted;
      }
    }
    return Infinity;
  };

  it('refuses a body when the waiting bodies of its organization have 64 MiB', () => {
    const turns = new CallTurns();
    // The first body of the turn starts immediately. When 256 MiB wait, an organization may still add one body.
    const counts = ['a', 'b', 'c', 'd', 'e'].map((id) => fill(() => turns.takeForBody(id, MIB)));
    expect(counts).toEqual([65, 64, 64, 64, 1]);
  });

  it('refuses an unverified body when 16 MiB of bodies of its network wait, but accepts bodies of other networks', () => {
    const turns = new CallTurns();
    const counts = ['x', 'y', 'z'].map((network) =>
      fill(() => turns.takeForUnverifiedBody('a', network, MIB)),
    );
    expect(counts).toEqual([17, 16, 16]);
  });

  it('starts the work with one body of 1 MiB, or with several smaller bodies, in a turn of the event loop', async () => {
    const turns = new CallTurns();
    const sizes = [MIB, MIB, MIB, 100 * 1024, 100 * 1024, 100 * 1024, 100 * 1024];
    const started: number[] = [];
    for (const size of sizes) {
      void (async () => {
        await turns.takeForBody('a', size);
        started.push(size);
      })();
    }
    const counts: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      await turnOfEventLoop();
      counts.push(started.length);
    }
    expect(counts).toEqual([2, 3, 6, 7]);
  });

  it.each([
    ['16 bodies of 16 KiB', 16 * 1024, 16],
    ['64 bodies of a few bytes, because each counts 4 KiB', 10, 64],
  ])(
    'starts the work with %s without a wait, and as much in the next turn of the event loop',
    async (_name, bytes, most) => {
      const turns = new CallTurns();
      const waits = Array.from({ length: 200 }, () => turns.takeForBody('a', bytes));
      expect(waits.filter((wait) => wait === undefined)).toHaveLength(most);
      let started = most;
      for (const wait of waits) void wait?.then(() => (started += 1));
      await turnOfEventLoop();
      expect(started).toBe(2 * most);
    },
  );

  it('starts a small body of an organization before most of the small bodies of another organization', async () => {
    const turns = new CallTurns();
    let started = 0;
    for (let count = 0; count < 1000; count += 1) {
      void turns.takeForBody('a', 10)?.then(() => (started += 1));
    }
    await turns.takeForUnverifiedBody('b', 'network', 10);
    expect(started).toBeLessThanOrEqual(64);
  });

  it('lets a body of more than 1 MiB wait only for other such bodies, because it holds memory that others need', async () => {
    const turns = new CallTurns();
    let started = 0;
    for (let count = 0; count < 15; count += 1) {
      void turns.takeForUnverifiedBody('a', 'network', MIB)?.then(() => (started += 1));
    }
    expect(turns.takeForUnverifiedBody('a', 'network', MIB + 1)).toBeUndefined();
    await turns.takeForUnverifiedBody('a', 'network', MIB + 1);
    expect(started).toBeLessThanOrEqual(1);
  });
});

/** Asks for a thousand turns, one for each unverified request to the organization `a`. */
function flood(networkOf: (index: number) => string): {
  turns: CallTurns;
  /** Returns how many of the requests have started. */
  count: () => number;
  /** Resolves when all requests have started. */
  requests: Promise<unknown>;
} {
  const turns = new CallTurns();
  let started = 0;
  const requests = Array.from({ length: 1000 }, async (_, index) => {
    await turns.takeUnverified('a', networkOf(index));
    started += 1;
  });
  return { turns, count: () => started, requests: Promise.all(requests) };
}

/** Requests a turn for each call, and returns how many of the calls need not wait. */
function startNow(turns: CallTurns, id: string, calls: number): number {
  return Array.from({ length: calls }, () => turns.take(id)).filter((turn) => turn === undefined)
    .length;
}
