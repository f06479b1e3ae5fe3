import { describe, expect, it } from 'vitest';
import { useWorkerStage } from '../../test/queue/support/worker-stage.js';
import { AppError } from '../errors/app-error.js';
import { LEASE_SECONDS } from './leased-work.js';
import { LeasedWorker } from './leased-worker.js';

describe(LeasedWorker.name, () => {
  const stage = useWorkerStage();

  it('processes as many rows as it has slots, and claims the next row when a slot is free', async () => {
    stage.work.due.push('a', 'b', 'c', 'd');
    stage.start();
    await stage.pass(0);
    expect(stage.running()).toEqual(['a', 'b']);
    stage.work.running.get('a')!.end();
    await stage.pass(0);
    expect(stage.running()).toEqual(['b', 'c']);
  });

  it('claims again at once when a shared slot becomes free during a claim', async () => {
    stage.replaceWorker({ concurrency: 2, isShared: true });
    stage.work.due.push('a', 'b', 'c', 'd', 'e');
    stage.start();
    await stage.pass(0);
    expect(stage.running()).toEqual(['a', 'b']);
    let answer = (): void => undefined;
    stage.work.answer = new Promise((resolve) => {
      answer = resolve;
    });
    stage.work.running.get('a')!.end();
    await stage.pass(0);
    stage.work.running.get('b')!.end();
    await stage.pass(0);
    expect(stage.running()).toEqual([]);
    answer();
    await stage.pass(0);
    expect(stage.running()).toEqual(['c', 'd']);
    stage.work.running.get('c')!.end();
    await stage.pass(0);
    expect(stage.running()).toEqual(['d', 'e']);
  });

  it('continues after work that throws', async () => {
    stage.work.due.push('a', 'b', 'c');
    stage.start();
    await stage.pass(0);
    stage.work.running.get('a')!.end(new Error('bug'));
    await stage.pass(0);
    expect(stage.running()).toEqual(['b', 'c']);
    expect(stage.work.released).toEqual([]);
  });

  it('releases a row after an outage of the database, so that the outage does not count as a crash', async () => {
    stage.work.due.push('a', 'b');
    stage.start();
    await stage.pass(0);
    stage.work.running.get('a')!.end(new AppError('unavailable', 'The database is not available.'));
    await stage.pass(0);
    expect(stage.work.released).toEqual(['a']);
    expect(stage.running()).toEqual(['b']);
  });

  it('polls a failing database less often, and continues when the database is back', async () => {
    stage.work.isDown = true;
    stage.work.due.push('a');
    stage.start();
    await stage.pass(60_000);
    expect(stage.work.claims).toBeGreaterThan(5);
    expect(stage.work.claims).toBeLessThan(30);
    stage.work.isDown = false;
    await stage.pass(7000);
    expect(stage.running()).toEqual(['a']);
  });

  it('claims due rows soon after the claim of a wake-up has failed', async () => {
    stage.start();
    await stage.pass(0);
    stage.work.due.push('a');
    stage.work.isDown = true;
    await stage.wakeUps.handle!('a');
    stage.work.isDown = false;
    await stage.pass(1500);
    expect(stage.running()).toEqual(['a']);
  });

  it('polls as often as before while the claims of single rows fail', async () => {
    stage.start();
    await stage.pass(0);
    stage.work.locked = 'a';
    for (let second = 0; second < 20; second += 1) {
      await stage.wakeUps.handle!('a');
      await stage.pass(1000);
    }
    stage.work.due.push('b');
    await stage.wakeUps.handle!('a');
    await stage.pass(1500);
    expect(stage.running()).toEqual(['b']);
  });

  it('aborts only the work of a lost lease', async () => {
    stage.work.due.push('a', 'b');
    stage.start();
    await stage.pass(0);
    const [a, b] = [stage.work.running.get('a')!, stage.work.running.get('b')!];
    stage.work.lost.add('a');
    await stage.pass(6000);
    expect([a.signal.aborted, b.signal.aborted]).toEqual([true, false]);
  });

  it('aborts all work at the end of leases that were not renewed, and not before', async () => {
    stage.work.due.push('a');
    stage.start();
    await stage.pass(0);
    const { signal } = stage.work.running.get('a')!;
    stage.work.isDown = true;
    await stage.pass(LEASE_SECONDS * 1000 - 1000);
    expect(signal.aborted).toBe(false);
    await stage.pass(6000);
    expect(signal.aborted).toBe(true);
  });

  it('waits for running work when the worker stops, and claims no more rows', async () => {
    stage.work.due.push('a');
    stage.start();
    await stage.pass(0);
    let isStopped = false;
    void stage.worker.stop(10_000).then(() => (isStopped = true));
    stage.work.due.push('b');
    await stage.wakeUps.handle!('b');
    await stage.pass(3000);
    expect(isStopped).toBe(false);
    expect(stage.running()).toEqual(['a']);
    stage.work.running.get('a')!.end();
    await stage.pass(0);
    expect(isStopped).toBe(true);
    expect(stage.work.released).toEqual([]);
  });

  it('aborts and releases work that does not end within the grace period', async () => {
    stage.work.due.push('a');
    stage.start();
    await stage.pass(0);
    const { signal } = stage.work.running.get('a')!;
    const stopped = stage.worker.stop(1000);
    await stage.pass(999);
    expect(signal.aborted).toBe(false);
    await stage.pass(1000);
    await stopped;
    expect(signal.aborted).toBe(true);
    expect(stage.work.released).toEqual(['a']);
  });

  it('releases the rows of a claim that resolves after the stop', async () => {
    stage.work.due.push('a');
    stage.work.answer = new Promise((resolve) => setTimeout(resolve, 1500));
    stage.start();
    await stage.pass(0);
    const stopped = stage.worker.stop(1000);
    await stage.pass(2000);
    await stopped;
    expect([stage.running(), stage.work.released]).toEqual([[], ['a']]);
  });
});
