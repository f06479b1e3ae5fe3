import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CallTurns } from './call-turns.js';

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
    const turns = new CallTurns();
    let started = 0;
    const requests = Array.from({ length: 1000 }, async () => {
      await turns.takeUnverified('a');
      started += 1;
    });
    await turns.take('a');
    expect(started).toBeLessThanOrEqual(33);
    await Promise.all(requests);
  });
});

/** Requests a turn for each call, and returns how many of the calls need not wait. */
function startNow(turns: CallTurns, id: string, calls: number): number {
  return Array.from({ length: calls }, () => turns.take(id)).filter((turn) => turn === undefined)
    .length;
}
