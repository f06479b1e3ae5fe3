import { describe, expect, it } from 'vitest';
import { useWorkerStage } from '../../test/queue/support/worker-stage.js';
import { LeasedWorker } from './leased-worker.js';

describe(`${LeasedWorker.name} with wake-ups`, () => {
  const stage = useWorkerStage();

  it('claims the row of a wake-up when an earlier claim has returned no row and its slot is free again', async () => {
    stage.replaceWorker({ concurrency: 2, isShared: true });
    stage.start();
    await stage.pass(0);
    stage.wakeUps.reserve('message', 'org_1')!.start('a');
    let answer = (): void => undefined;
    stage.work.answer = new Promise((resolve) => {
      answer = resolve;
    });
    void stage.wakeUps.handle!('of another worker', 'org_1');
    await stage.pass(0);
    stage.work.due.push('b');
    void stage.wakeUps.handle!('b', 'org_1');
    answer();
    await stage.pass(10);
    expect(stage.running()).toEqual(['a', 'b']);
  });

  it('finds a row without a wake-up at the next poll', async () => {
    stage.start();
    await stage.pass(0);
    stage.work.due.push('a');
    await stage.pass(1500);
    expect(stage.running()).toEqual(['a']);
  });

  it('claims the row of a wake-up at once, and resolves the wake-up when the work is done', async () => {
    stage.start();
    await stage.pass(0);
    stage.work.due.push('a', 'b');
    let isHandled = false;
    void stage.wakeUps.handle!('b').then(() => (isHandled = true));
    await stage.pass(0);
    expect(stage.running()).toEqual(['b']);
    expect(isHandled).toBe(false);
    stage.work.running.get('b')!.end();
    await stage.pass(0);
    expect(isHandled).toBe(true);
  });

  it('waits for a free slot, and then claims the row of the wake-up', async () => {
    stage.work.due.push('a', 'b');
    stage.start();
    await stage.pass(0);
    stage.work.due.push('c');
    await stage.wakeUps.handle!('c');
    expect(stage.running()).toEqual(['a', 'b']);
    stage.work.running.get('b')!.end();
    await stage.pass(0);
    expect(stage.running()).toEqual(['a', 'c']);
  });

  it('joins wake-ups that come during a claim into one claim', async () => {
    stage.replaceWorker({ concurrency: 4 });
    stage.start();
    await stage.pass(0);
    const claims = stage.work.claims;
    let answer = (): void => undefined;
    stage.work.answer = new Promise((resolve) => {
      answer = resolve;
    });
    stage.work.due.push('a', 'b', 'c', 'd');
    const pendingWakeUps = ['a', 'b', 'c', 'd'].map((id) => stage.wakeUps.handle!(id));
    await stage.pass(10);
    answer();
    await stage.pass(10);
    expect(stage.running().sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(stage.work.claims - claims).toBe(2);
    for (const { end } of stage.work.running.values()) end();
    await Promise.all(pendingWakeUps);
  });

  it('does not poll repeatedly while a wake-up waits for a free slot', async () => {
    stage.start();
    await stage.pass(0);
    stage.work.due.push('a', 'b', 'c', 'd');
    void stage.wakeUps.handle!('a');
    void stage.wakeUps.handle!('b');
    // The claim for `c` comes before the claim for `b`, and takes the last free slot.
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    void stage.wakeUps.handle!('c');
    await stage.pass(10);
    expect(stage.running()).toEqual(['a', 'c']);
    // The timer is replaced by an assignment. After the last test, a spy of Vitest would restore the fake timer, and
    // later test files would use it.
    const { setTimeout } = globalThis;
    let started = 0;
    globalThis.setTimeout = ((...given: Parameters<typeof setTimeout>) => {
      started += 1;
      return setTimeout(...given);
    }) as typeof setTimeout;
    await stage.pass(500);
    globalThis.setTimeout = setTimeout;
    expect(started).toBeLessThan(3);
    stage.work.running.get('a')!.end();
    await stage.pass(5);
    expect(stage.running()).toEqual(['c', 'b']);
  });
});
