import { describe, expect, it } from 'vitest';
import { useWorkerStage } from '../../test/queue/support/worker-stage.js';
import { LeasedWorker } from './leased-worker.js';

describe(`${LeasedWorker.name} with reserved slots`, () => {
  const stage = useWorkerStage();

  it('starts a row in a reserved slot without a claim, and releases the slot when the work ends', async () => {
    stage.start();
    await stage.pass(0);
    const claims = stage.work.claims;
    const [first, second] = [
      stage.wakeUps.reserve('message', 'org_1'),
      stage.wakeUps.reserve('message', 'org_1'),
    ];
    first!.start('a');
    second!.start('b');
    await stage.pass(0);
    expect(stage.running()).toEqual(['a', 'b']);
    expect(stage.work.claims).toBe(claims);
    expect(stage.wakeUps.reserve('message', 'org_1')).toBeUndefined();
    stage.work.running.get('a')!.end();
    await stage.pass(5);
    stage.wakeUps.reserve('message', 'org_1')!.start('c');
    await stage.pass(0);
    expect(stage.running()).toEqual(['b', 'c']);
  });

  it('counts a reserved slot as occupied until it is released', async () => {
    stage.start();
    await stage.pass(0);
    stage.work.due.push('a', 'b', 'c');
    const slot = stage.wakeUps.reserve('message', 'org_1')!;
    await stage.pass(1500);
    expect(stage.running()).toEqual(['a']);
    slot.release();
    await stage.pass(5);
    expect(stage.running()).toEqual(['a', 'b']);
  });

  it('queues a row again when it is unknown whether the row was committed', async () => {
    stage.start();
    await stage.pass(0);
    stage.wakeUps.reserve('message', 'org_1')!.release({ id: 'a' });
    stage.wakeUps.reserve('message', 'org_1')!.release();
    await stage.pass(0);
    expect(stage.running()).toEqual([]);
    expect(stage.work.released).toEqual(['a']);
  });

  it('gives an organization no more reserved slots than it may occupy', async () => {
    stage.replaceWorker({ concurrency: 2, isShared: true });
    stage.start();
    await stage.pass(0);
    expect(stage.wakeUps.reserve('message', 'org_1')).toBeDefined();
    expect(stage.wakeUps.reserve('message', 'org_1')).toBeDefined();
    expect(stage.wakeUps.reserve('message', 'org_1')).toBeUndefined();
  });

  it('limits the slots of an organization also while a worker claims a row after a wake-up', async () => {
    stage.replaceWorker({ concurrency: 4, isShared: true });
    stage.start();
    await stage.pass(0);
    for (const id of ['a', 'b', 'c']) stage.wakeUps.reserve('message', 'org_1')!.start(id);
    stage.work.due.push('d');
    let answer = (): void => undefined;
    stage.work.answer = new Promise((resolve) => {
      answer = resolve;
    });
    void stage.wakeUps.handle!('d', 'org_1');
    await stage.pass(0);
    expect(stage.wakeUps.reserve('message', 'org_1')).toBeUndefined();
    stage.work.due.push('e');
    await stage.pass(1500);
    answer();
    await stage.pass(10);
    expect(stage.running()).toEqual(['a', 'b', 'c', 'd']);
    stage.work.running.get('a')!.end();
    await stage.pass(10);
    expect(stage.running()).toEqual(['b', 'c', 'd', 'e']);
  });

  it('reserves no slot while more rows are due than the worker can claim', async () => {
    stage.start();
    stage.work.due.push('a', 'b', 'c');
    await stage.pass(0);
    stage.work.running.get('a')!.end();
    // After some resolved promises, the slot is free and the claim for it is scheduled.
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    expect(stage.wakeUps.reserve('message', 'org_1')).toBeUndefined();
    await stage.pass(0);
    expect(stage.running()).toEqual(['b', 'c']);
  });

  it('releases a row whose slot was reserved before the stop, and stops only after this release', async () => {
    stage.start();
    await stage.pass(0);
    const slot = stage.wakeUps.reserve('message', 'org_1')!;
    let isStopped = false;
    void stage.worker.stop(60_000).then(() => (isStopped = true));
    await stage.pass(1000);
    expect(isStopped).toBe(false);
    expect(stage.wakeUps.reserve('message', 'org_1')).toBeUndefined();
    slot.start('a');
    await stage.pass(0);
    expect(stage.running()).toEqual([]);
    expect(stage.work.released).toEqual(['a']);
    expect(isStopped).toBe(true);
  });
});
