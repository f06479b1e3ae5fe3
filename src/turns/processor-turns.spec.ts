import { describe, expect, it } from 'vitest';
import { AppError } from '../errors/app-error.js';
import { type Job, ProcessorTurns } from './processor-turns.js';
import { TimeBudgets } from './time-budgets.js';

/** Uses the processor for some turns of at most 10 ms each, and records them. */
function createJob(name: string, turns: number, log: string[]): Job {
  let left = turns;
  return {
    run: (endsAt) => {
      while (performance.now() < endsAt);
      log.push(name);
      left -= 1;
      return left === 0;
    },
  };
}

const time = (): { leftMs: number } => ({ leftMs: 5000 });

describe(ProcessorTurns, () => {
  it('serves the event loop between two turns', async () => {
    const log: string[] = [];
    let isOver = false;
    const count = (): void => {
      log.push('other');
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await new ProcessorTurns().run('org_1', createJob('job', 5, log), time());
    isOver = true;
    expect(log.join(' ')).not.toContain('job job');
  });

  it('lets organizations take turns', async () => {
    const log: string[] = [];
    const turns = new ProcessorTurns();
    await Promise.all([
      turns.run('org_1', createJob('a', 4, log), time()),
      turns.run('org_1', createJob('a', 4, log), time()),
      turns.run('org_1', createJob('a', 4, log), time()),
      turns.run('org_2', createJob('b', 3, log), time()),
    ]);
    // If jobs and not organizations took turns, the second organization would get only a quarter of the turns.
    expect(log.lastIndexOf('b')).toBeLessThan(9);
    expect(log).toHaveLength(15);
  });

  it('ends a job that has used its time', async () => {
    const run = new ProcessorTurns().run('org_1', createJob('a', 999, []), { leftMs: 25 });
    await expect(run).rejects.toThrow('The template takes too long.');
  });

  it('does not count the time in which the process did not run', async () => {
    const sleeping = new Int32Array(new SharedArrayBuffer(4));
    let turns = 0;
    const job: Job = {
      run: () => {
        Atomics.wait(sleeping, 0, 0, 50);
        turns += 1;
        return turns === 3;
      },
    };
    const left = { leftMs: 100 };
    await new ProcessorTurns().run('org_1', job, left);
    expect(left.leftMs).toBeGreaterThan(0);
  });

  it('continues with the job of another organization after a job has failed', async () => {
    const turns = new ProcessorTurns();
    const failing: Job = {
      run: () => {
        throw AppError.invalid('It failed.');
      },
    };
    const log: string[] = [];
    const all = await Promise.allSettled([
      turns.run('org_1', createJob('a', 3, log), time()),
      turns.run('org_2', failing, time()),
      turns.run('org_3', createJob('c', 2, log), time()),
    ]);
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});

describe(TimeBudgets, () => {
  it('refuses an organization that has used up its time, until it has time again', () => {
    let now = 0;
    const budgets = new TimeBudgets(() => now);
    budgets.spend('org_1', 11_000);
    expect(() => budgets.assertLeft('org_1')).toThrow(
      expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 3 }),
    );
    expect(() => budgets.assertLeft('org_2')).not.toThrow();
    now = 2600;
    expect(() => budgets.assertLeft('org_1')).not.toThrow();
  });
});
