import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../errors/app-error.js';
import type { Share } from './fair-share.js';
import { type Claim, LEASE_SECONDS, type LeasedWork } from './leased-work.js';
import { LeasedWorker } from './leased-worker.js';
import { type WakeUpHandler, type WakeUpKind, WakeUps } from './wake-ups.js';

/** Holds rows in memory that are due until they are claimed. Their work waits until the test ends it. */
class FakeWork implements LeasedWork {
  readonly kind = 'message';
  readonly due: string[] = [];
  readonly running = new Map<string, { signal: AbortSignal; end: (error?: Error) => void }>();
  readonly released: string[] = [];
  readonly lost = new Set<string>();
  claims = 0;
  isDown = false;
  /** A claim resolves only after this promise. */
  answer?: Promise<void>;

  async claim(limit: number, id?: string, share?: Share): Promise<Claim[]> {
    this.claims += 1;
    if (this.isDown) throw new Error('The database is down.');
    const room = share?.rooms.org_1 ?? share?.room ?? limit;
    const claimed = (id === undefined ? this.due : this.due.filter((due) => due === id)).slice(
      0,
      Math.min(limit, room),
    );
    for (const item of claimed) this.due.splice(this.due.indexOf(item), 1);
    await this.answer;
    return claimed.map((item) => ({ id: item, organizationId: 'org_1', epoch: 1 }));
  }

  work({ id }: Claim, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (error?: Error): void => {
        this.running.delete(id);
        if (error) reject(error);
        else resolve();
      };
      this.running.set(id, { signal, end });
    });
  }

  async renew(claims: Claim[]): Promise<Claim[]> {
    if (this.isDown) throw new Error('The database is down.');
    return claims.filter(({ id }) => !this.lost.has(id));
  }

  async release(claims: Claim[]): Promise<void> {
    this.released.push(...claims.map(({ id }) => id));
  }
}

class FakeWakeUps extends WakeUps {
  handle?: WakeUpHandler;
  wake(): void {}
  override consume(_kind: WakeUpKind, handle: WakeUpHandler): void {
    this.handle = handle;
  }
  async pause(): Promise<void> {}
}

describe(LeasedWorker.name, () => {
  let work: FakeWork;
  let wakeUps: FakeWakeUps;
  let worker: LeasedWorker;
  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(true));
  beforeEach(() => {
    vi.useFakeTimers();
    work = new FakeWork();
    wakeUps = new FakeWakeUps();
    worker = new LeasedWorker(work, wakeUps, { concurrency: 2 });
  });
  afterEach(async () => {
    for (const { end } of work.running.values()) end();
    const stopped = worker.stop(0);
    await vi.runAllTimersAsync();
    await stopped;
    vi.useRealTimers();
  });
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const running = (): string[] => [...work.running.keys()];

  it('processes as many rows as it has slots, and claims the next row when a slot is free', async () => {
    work.due.push('a', 'b', 'c', 'd');
    worker.start();
    await pass(0);
    expect(running()).toEqual(['a', 'b']);
    work.running.get('a')!.end();
    await pass(0);
    expect(running()).toEqual(['b', 'c']);
  });

  it('claims again at once when a shared slot becomes free during a claim', async () => {
    worker = new LeasedWorker(work, wakeUps, { concurrency: 2, isShared: true });
    work.due.push('a', 'b', 'c', 'd', 'e');
    worker.start();
    await pass(0);
    expect(running()).toEqual(['a', 'b']);
    let answer = (): void => undefined;
    work.answer = new Promise((resolve) => {
      answer = resolve;
    });
    work.running.get('a')!.end();
    await pass(0);
    work.running.get('b')!.end();
    await pass(0);
    expect(running()).toEqual([]);
    answer();
    await pass(0);
    expect(running()).toEqual(['c', 'd']);
    work.running.get('c')!.end();
    await pass(0);
    expect(running()).toEqual(['d', 'e']);
  });

  it('starts a row in a reserved slot without a claim, and gives the slot back when it ends', async () => {
    worker.start();
    await pass(0);
    const claims = work.claims;
    const [first, second] = [
      wakeUps.reserve('message', 'org_1'),
      wakeUps.reserve('message', 'org_1'),
    ];
    first!.start('a');
    second!.start('b');
    await pass(0);
    expect(running()).toEqual(['a', 'b']);
    expect(work.claims).toBe(claims);
    expect(wakeUps.reserve('message', 'org_1')).toBeUndefined();
    work.running.get('a')!.end();
    await pass(5);
    wakeUps.reserve('message', 'org_1')!.start('c');
    await pass(0);
    expect(running()).toEqual(['b', 'c']);
  });

  it('counts a reserved slot as occupied until it is released', async () => {
    worker.start();
    await pass(0);
    work.due.push('a', 'b', 'c');
    const slot = wakeUps.reserve('message', 'org_1')!;
    await pass(1500);
    expect(running()).toEqual(['a']);
    slot.release();
    await pass(5);
    expect(running()).toEqual(['a', 'b']);
  });

  it('queues a row again when it is unknown whether it was committed', async () => {
    worker.start();
    await pass(0);
    wakeUps.reserve('message', 'org_1')!.release({ id: 'a' });
    wakeUps.reserve('message', 'org_1')!.release();
    await pass(0);
    expect(running()).toEqual([]);
    expect(work.released).toEqual(['a']);
  });

  it('gives an organization no more reserved slots than it may occupy', async () => {
    worker = new LeasedWorker(work, wakeUps, { concurrency: 2, isShared: true });
    worker.start();
    await pass(0);
    expect(wakeUps.reserve('message', 'org_1')).toBeDefined();
    expect(wakeUps.reserve('message', 'org_1')).toBeDefined();
    expect(wakeUps.reserve('message', 'org_1')).toBeUndefined();
  });

  it('gives an organization no more slots than it may occupy while a wake-up claims its row', async () => {
    worker = new LeasedWorker(work, wakeUps, { concurrency: 4, isShared: true });
    worker.start();
    await pass(0);
    for (const id of ['a', 'b', 'c']) wakeUps.reserve('message', 'org_1')!.start(id);
    work.due.push('d');
    let answer = (): void => undefined;
    work.answer = new Promise((resolve) => {
      answer = resolve;
    });
    void wakeUps.handle!('d', 'org_1');
    await pass(0);
    expect(wakeUps.reserve('message', 'org_1')).toBeUndefined();
    work.due.push('e');
    await pass(1500);
    answer();
    await pass(10);
    expect(running()).toEqual(['a', 'b', 'c', 'd']);
    work.running.get('a')!.end();
    await pass(10);
    expect(running()).toEqual(['b', 'c', 'd', 'e']);
  });

  it('claims a row that was refused because of the claim of a wake-up which found nothing', async () => {
    worker = new LeasedWorker(work, wakeUps, { concurrency: 2, isShared: true });
    worker.start();
    await pass(0);
    wakeUps.reserve('message', 'org_1')!.start('a');
    let answer = (): void => undefined;
    work.answer = new Promise((resolve) => {
      answer = resolve;
    });
    void wakeUps.handle!('of another worker', 'org_1');
    await pass(0);
    work.due.push('b');
    void wakeUps.handle!('b', 'org_1');
    answer();
    await pass(10);
    expect(running()).toEqual(['a', 'b']);
  });

  it('reserves no slot while more rows are due than it could claim', async () => {
    worker.start();
    work.due.push('a', 'b', 'c');
    await pass(0);
    work.running.get('a')!.end();
    // The slot is free after some promises, and the claim for it is scheduled.
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    expect(wakeUps.reserve('message', 'org_1')).toBeUndefined();
    await pass(0);
    expect(running()).toEqual(['b', 'c']);
  });

  it('releases a row whose slot was reserved before the stop, and waits for it', async () => {
    worker.start();
    await pass(0);
    const slot = wakeUps.reserve('message', 'org_1')!;
    let isStopped = false;
    void worker.stop(60_000).then(() => (isStopped = true));
    await pass(1000);
    expect(isStopped).toBe(false);
    expect(wakeUps.reserve('message', 'org_1')).toBeUndefined();
    slot.start('a');
    await pass(0);
    expect(running()).toEqual([]);
    expect(work.released).toEqual(['a']);
    expect(isStopped).toBe(true);
  });

  it('finds a row without a wake-up at the next poll', async () => {
    worker.start();
    await pass(0);
    work.due.push('a');
    await pass(1500);
    expect(running()).toEqual(['a']);
  });

  it('claims the row of a wake-up at once, and resolves the wake-up when the work is done', async () => {
    worker.start();
    await pass(0);
    work.due.push('a', 'b');
    let isHandled = false;
    void wakeUps.handle!('b').then(() => (isHandled = true));
    await pass(0);
    expect(running()).toEqual(['b']);
    expect(isHandled).toBe(false);
    work.running.get('b')!.end();
    await pass(0);
    expect(isHandled).toBe(true);
  });

  it('claims the row of a wake-up without a free slot as soon as a slot is free', async () => {
    work.due.push('a', 'b');
    worker.start();
    await pass(0);
    work.due.push('c');
    await wakeUps.handle!('c');
    expect(running()).toEqual(['a', 'b']);
    work.running.get('b')!.end();
    await pass(0);
    expect(running()).toEqual(['a', 'c']);
  });

  it('joins wake-ups that come during a claim into one claim', async () => {
    worker = new LeasedWorker(work, wakeUps, { concurrency: 4 });
    worker.start();
    await pass(0);
    const claims = work.claims;
    let answer = (): void => undefined;
    work.answer = new Promise((resolve) => {
      answer = resolve;
    });
    work.due.push('a', 'b', 'c', 'd');
    const pendingWakeUps = ['a', 'b', 'c', 'd'].map((id) => wakeUps.handle!(id));
    await pass(10);
    answer();
    await pass(10);
    expect(running().sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(work.claims - claims).toBe(2);
    for (const { end } of work.running.values()) end();
    await Promise.all(pendingWakeUps);
  });

  it('does not poll repeatedly without a free slot after an earlier wake-up', async () => {
    worker.start();
    await pass(0);
    work.due.push('a', 'b', 'c', 'd');
    void wakeUps.handle!('a');
    void wakeUps.handle!('b');
    // This claim comes before the claim for `b`, with the last free slot.
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    void wakeUps.handle!('c');
    await pass(10);
    expect(running()).toEqual(['a', 'c']);
    // This is no spy: Vitest would put the fake timer back after the last test, and later test files would get it.
    const { setTimeout } = globalThis;
    let started = 0;
    globalThis.setTimeout = ((...given: Parameters<typeof setTimeout>) => {
      started += 1;
      return setTimeout(...given);
    }) as typeof setTimeout;
    await pass(500);
    globalThis.setTimeout = setTimeout;
    expect(started).toBeLessThan(3);
    work.running.get('a')!.end();
    await pass(5);
    expect(running()).toEqual(['c', 'b']);
  });

  it('continues after work that throws', async () => {
    work.due.push('a', 'b', 'c');
    worker.start();
    await pass(0);
    work.running.get('a')!.end(new Error('bug'));
    await pass(0);
    expect(running()).toEqual(['b', 'c']);
    expect(work.released).toEqual([]);
  });

  it('releases a row after an outage of the database, so that it does not count as a crash', async () => {
    work.due.push('a', 'b');
    worker.start();
    await pass(0);
    work.running.get('a')!.end(new AppError('unavailable', 'The database is not available.'));
    await pass(0);
    expect(work.released).toEqual(['a']);
    expect(running()).toEqual(['b']);
  });

  it('polls a failing database less often, and continues when it is back', async () => {
    work.isDown = true;
    work.due.push('a');
    worker.start();
    await pass(60_000);
    expect(work.claims).toBeGreaterThan(5);
    expect(work.claims).toBeLessThan(30);
    work.isDown = false;
    await pass(7000);
    expect(running()).toEqual(['a']);
  });

  it('aborts only the work of a lost lease', async () => {
    work.due.push('a', 'b');
    worker.start();
    await pass(0);
    const [a, b] = [work.running.get('a')!, work.running.get('b')!];
    work.lost.add('a');
    await pass(6000);
    expect([a.signal.aborted, b.signal.aborted]).toEqual([true, false]);
  });

  it('aborts all work at the end of leases that were not renewed, and not before', async () => {
    work.due.push('a');
    worker.start();
    await pass(0);
    const { signal } = work.running.get('a')!;
    work.isDown = true;
    await pass(LEASE_SECONDS * 1000 - 1000);
    expect(signal.aborted).toBe(false);
    await pass(6000);
    expect(signal.aborted).toBe(true);
  });

  it('waits for running work when it stops, and claims no more rows', async () => {
    work.due.push('a');
    worker.start();
    await pass(0);
    let isStopped = false;
    void worker.stop(10_000).then(() => (isStopped = true));
    work.due.push('b');
    await wakeUps.handle!('b');
    await pass(3000);
    expect(isStopped).toBe(false);
    expect(running()).toEqual(['a']);
    work.running.get('a')!.end();
    await pass(0);
    expect(isStopped).toBe(true);
    expect(work.released).toEqual([]);
  });

  it('aborts and releases work that does not end within the grace period', async () => {
    work.due.push('a');
    worker.start();
    await pass(0);
    const { signal } = work.running.get('a')!;
    const stopped = worker.stop(1000);
    await pass(999);
    expect(signal.aborted).toBe(false);
    await pass(1000);
    await stopped;
    expect(signal.aborted).toBe(true);
    expect(work.released).toEqual(['a']);
  });

  it('releases the rows of a claim that resolves after the stop', async () => {
    work.due.push('a');
    work.answer = new Promise((resolve) => setTimeout(resolve, 1500));
    worker.start();
    await pass(0);
    const stopped = worker.stop(1000);
    await pass(2000);
    await stopped;
    expect([running(), work.released]).toEqual([[], ['a']]);
  });
});
