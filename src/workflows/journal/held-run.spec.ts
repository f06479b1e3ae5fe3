import { describe, expect, it } from 'vitest';
import type { Step } from '../definitions/definition.js';
import { HeldRun, type JournalEntry } from './claimed-run.js';
import { LeaseLost } from './lease-lost.js';
import type { Run } from './run.entity.js';

const tool = (id: string): Step => ({ id, tool: 'echo' });
const LOOP: Step[] = [
  { id: 'each', for_each: [], concurrency: 2, steps: [tool('a'), tool('b')] },
  tool('after'),
];

function entry(stepId: string, more: Partial<JournalEntry> = {}): JournalEntry {
  return {
    stepId,
    position: 1,
    tool: 'echo',
    status: 'succeeded',
    attempts: 1,
    input: null,
    output: null,
    error: null,
    failedAttempts: null,
    wakeAt: null,
    ...more,
  };
}

const open = (count: number): JournalEntry =>
  entry('each', {
    tool: null,
    status: 'running',
    input: { items: Array.from({ length: count }, (_, index) => index) },
  });

function hold(
  steps: Step[],
  journal: JournalEntry[],
  given: { crashes?: number; lost?: AbortSignal } = {},
): HeldRun {
  const content = {
    run: { crashes: given.crashes ?? 0 } as Run,
    workflowName: 'Test',
    payload: {},
    steps,
  };
  const lease = { id: 'run_1', organizationId: 'org_1', epoch: 1 };
  return new HeldRun(lease, given.lost ?? new AbortController().signal, content, journal);
}

const ready = (held: HeldRun): string[] => held.plan().ready.map(({ path }) => path);

describe(HeldRun, () => {
  it('goes on from what is committed, and never from what may be rolled back', async () => {
    const held = hold([tool('a'), tool('b')], []);
    await held.alone(async () => {
      held.stage(entry('a'));
      expect(held.planAfter().ready.map(({ path }) => path)).toEqual(['b']);
      expect(ready(held)).toEqual(['a']);
    });
    expect(ready(held)).toEqual(['b']);
    const failing = held.alone(async () => {
      held.stage(entry('b'));
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(ready(held)).toEqual(['b']);
    expect(held.journal.has('b')).toBe(false);
    await held.alone(async () => undefined);
    expect(ready(held)).toEqual(['b']);
  });

  it('runs transactions one after the other, in the order they came, also after one that fails', async () => {
    const held = hold([], []);
    const log: string[] = [];
    const transaction = async (name: string): Promise<void> => {
      log.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 1));
      log.push(`${name} ends`);
      if (name === 'b') throw new Error(name);
    };
    await Promise.allSettled(['a', 'b', 'c'].map((name) => held.alone(() => transaction(name))));
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('begins no transaction once it is not held any more', async () => {
    const lost = new AbortController();
    const held = hold([], [], { lost: lost.signal });
    lost.abort();
    expect(held.signal.aborted).toBe(true);
    await expect(held.alone(async () => 'done')).rejects.toThrow(LeaseLost);
    const dropped = hold([], []);
    const queued = [dropped.alone(async () => dropped.drop()), dropped.alone(async () => 'done')];
    await expect(queued[1]).rejects.toThrow(LeaseLost);
  });

  it('keeps nothing of turns that are done, and knows that they are', async () => {
    const held = hold(LOOP, [
      open(3),
      ...['each[0].a', 'each[0].b', 'each[1].a'].map((path) => entry(path)),
    ]);
    expect([...held.journal.keys()]).toEqual(['each', 'each[1].a']);
    expect(ready(held)).toEqual(['each[1].b', 'each[2].a']);
    await held.alone(async () => held.stage(entry('each[1].b')));
    held.forgetPassed();
    expect([...held.journal.keys()]).toEqual(['each']);
    expect(ready(held)).toEqual(['each[2].a']);
  });

  it('gives each step the next place, and one that is tried again its own', () => {
    const held = hold(LOOP, [open(2), entry('each[0].a', { position: 7 })]);
    const [first, second] = held.plan().ready;
    expect(held.newEntry(first!).position).toBe(8);
    expect(held.newEntry(second!).position).toBe(9);
    const again = hold([tool('a')], [entry('a', { status: 'waiting', position: 4 })]);
    expect(again.newEntry(again.plan().ready[0]!).position).toBe(4);
  });

  it('suspects all that may have been in flight at a crash, until each has come to something', async () => {
    const held = hold(LOOP, [open(3), entry('each[1].a', { status: 'running' })], { crashes: 1 });
    expect(held.isSuspect).toBe(true);
    await held.alone(async () => {
      held.stage(entry('each[0].a'));
      expect(held.isSuspect).toBe(true);
    });
    // Written down before it is called again: that is not yet to have survived it.
    await held.alone(async () => held.stage(entry('each[1].a', { status: 'running' })));
    expect(held.isSuspect).toBe(true);
    await held.alone(async () => {
      held.stage(entry('each[1].a', { status: 'waiting' }));
      expect(held.isSuspect).toBe(false);
    });
    expect(held.isSuspect).toBe(false);
    expect(hold(LOOP, [open(3)]).isSuspect).toBe(false);
  });

  it('takes over what others wrote of steps that nobody carries out', () => {
    const asleep = { status: 'waiting', dueAt: performance.now() + 60_000 } as const;
    const held = hold([tool('a')], [entry('a', asleep)]);
    expect(ready(held)).toEqual([]);
    held.inFlight.add('a');
    held.refresh([entry('a', { status: 'waiting', dueAt: 0 })]);
    expect(ready(held)).toEqual([]);
    held.inFlight.delete('a');
    held.refresh([entry('a', { status: 'waiting', dueAt: 0 })]);
    expect(ready(held)).toEqual(['a']);
  });
});
