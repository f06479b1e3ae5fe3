import { describe, expect, it } from 'vitest';
import type { Step } from '../definitions/definition.js';
import { MAX_NESTING } from '../definitions/steps/step-parser.js';
import {
  ClaimedRun,
  type ClaimedRunRow,
  type JournalEntry,
  StepCanceledError,
} from './claimed-run.js';
import { LeaseLostError } from './run-lease.js';
import { RunTransaction } from './run-transaction.js';

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

function createRun(
  steps: Step[],
  journal: JournalEntry[],
  given: { crashes?: number; leaseLost?: AbortSignal } = {},
): ClaimedRun {
  const row = { crashes: given.crashes ?? 0 } as ClaimedRunRow;
  const data = { row, workflowName: 'Test', payload: {}, steps };
  const lease = { id: 'run_1', organizationId: 'org_1', epoch: 1 };
  return new ClaimedRun(lease, given.leaseLost ?? new AbortController().signal, data, journal);
}

/** Commits entries in a new transaction. */
function commit(run: ClaimedRun, ...entries: JournalEntry[]): void {
  const tx = new RunTransaction(run);
  for (const one of entries) tx.stage(one);
  tx.apply();
}

const ready = (run: Pick<ClaimedRun, 'plan'>): string[] => run.plan().ready.map(({ path }) => path);

describe(ClaimedRun, () => {
  it('runs transactions one after the other, in the order of the calls, even after a failure', async () => {
    const run = createRun([], []);
    const log: string[] = [];
    const transaction = async (name: string): Promise<void> => {
      log.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 1));
      log.push(`${name} ends`);
      if (name === 'b') throw new Error(name);
    };
    await Promise.allSettled(['a', 'b', 'c'].map((name) => run.runInTurn(() => transaction(name))));
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('begins no transaction after the lease is lost', async () => {
    const lost = new AbortController();
    const run = createRun([], [], { leaseLost: lost.signal });
    lost.abort();
    expect(run.signal.aborted).toBe(true);
    await expect(run.runInTurn(async () => 'done')).rejects.toThrow(LeaseLostError);
    const abandoned = createRun([], []);
    const queued = [
      abandoned.runInTurn(async () => abandoned.abandon()),
      abandoned.runInTurn(async () => 'done'),
    ];
    await expect(queued[1]).rejects.toThrow(LeaseLostError);
  });

  it('removes the entries of finished loop iterations and does not repeat these iterations', () => {
    const run = createRun(LOOP, [
      open(3),
      ...['each[0].a', 'each[0].b', 'each[1].a'].map((path) => entry(path)),
    ]);
    expect([...run.journal.keys()]).toEqual(['each', 'each[1].a']);
    expect(ready(run)).toEqual(['each[1].b', 'each[2].a']);
    commit(run, entry('each[1].b'));
    run.forgetDoneIterations();
    expect([...run.journal.keys()]).toEqual(['each']);
    expect(ready(run)).toEqual(['each[2].a']);
  });

  it('looks at no more iterations around an entry than a definition can nest', () => {
    const ended = (depth: number): string => `${'a[0].'.repeat(depth - 1)}a`;
    const journal = [MAX_NESTING, MAX_NESTING + 1].flatMap((depth) => [
      entry(ended(depth)),
      entry(`${ended(depth)}[0].inner_${depth}`),
    ]);
    const run = createRun([], journal.slice(0, 2));
    expect([...run.journal.keys()]).toEqual([ended(MAX_NESTING)]);
    const tooDeep = createRun([], journal.slice(2));
    expect([...tooDeep.journal.keys()]).toEqual(journal.slice(2).map(({ stepId }) => stepId));
  });

  it('gives each new step the next position, and a repeated step its earlier position', () => {
    const run = createRun(LOOP, [open(2), entry('each[0].a', { position: 7 })]);
    const [first, second] = run.plan().ready;
    expect(run.newEntry(first!).position).toBe(8);
    expect(run.newEntry(second!).position).toBe(9);
    const again = createRun([tool('a')], [entry('a', { status: 'waiting', position: 4 })]);
    expect(again.newEntry(again.plan().ready[0]!).position).toBe(4);
  });

  it('aborts the call of a running step that was skipped, and all calls when the lease is lost', () => {
    const run = createRun([tool('a'), tool('b')], []);
    for (const path of ['a', 'b']) run.beginStep(path);
    const [skipped, other] = [run.signalOf('a'), run.signalOf('b')];
    run.apply([entry('a', { status: 'skipped' }), entry('b')]);
    expect([skipped.aborted, other.aborted]).toEqual([true, false]);
    expect(skipped.reason).toBeInstanceOf(StepCanceledError);
    run.abandon();
    expect(other.reason).toBeInstanceOf(LeaseLostError);
  });

  it('replaces entries with newer entries from the database, except the entries of running steps', () => {
    const waiting = { status: 'waiting', dueAt: performance.now() + 60_000 } as const;
    const run = createRun([tool('a')], [entry('a', waiting)]);
    expect(ready(run)).toEqual([]);
    run.beginStep('a');
    run.refresh([entry('a', { status: 'waiting', dueAt: 0 })]);
    expect(ready(run)).toEqual([]);
    run.endStep('a');
    run.refresh([entry('a', { status: 'waiting', dueAt: 0 })]);
    expect(ready(run)).toEqual(['a']);
  });
});

describe(RunTransaction, () => {
  it('uses its own entries immediately, and adds them to the run only in `apply`', () => {
    const run = createRun([tool('a'), tool('b')], []);
    const tx = new RunTransaction(run);
    tx.stage(entry('a'));
    expect(ready(tx)).toEqual(['b']);
    expect(ready(run)).toEqual(['a']);
    tx.apply();
    expect(ready(run)).toEqual(['b']);
    const rolledBack = new RunTransaction(run);
    rolledBack.stage(entry('b'));
    expect(ready(run)).toEqual(['b']);
    expect(run.journal.has('b')).toBe(false);
  });

  it('drops only the entries of the work that fails', async () => {
    const run = createRun([tool('a'), tool('b'), tool('c')], []);
    const tx = new RunTransaction(run, true);
    await tx.unstageOnError(async () => tx.stage(entry('a')));
    const failing = tx.unstageOnError(async () => {
      tx.stage(entry('b'));
      throw new Error('failed');
    });
    await expect(failing).rejects.toThrow('failed');
    expect(ready(tx)).toEqual(['b']);
  });

  it('treats each step that may have crashed a worker as suspect until the step has made progress', () => {
    const journal = [open(3), entry('each[1].a', { status: 'running' })];
    const run = createRun(LOOP, journal, { crashes: 1 });
    expect(new RunTransaction(run).hasSuspect).toBe(true);
    commit(run, entry('each[0].a'));
    expect(new RunTransaction(run).hasSuspect).toBe(true);
    // The journal now has an entry for the repeated call, but the call may still crash the worker.
    commit(run, entry('each[1].a', { status: 'running' }));
    expect(new RunTransaction(run).hasSuspect).toBe(true);
    const tx = new RunTransaction(run);
    tx.stage(entry('each[1].a', { status: 'waiting' }));
    expect(tx.hasSuspect).toBe(false);
    tx.apply();
    expect(new RunTransaction(run).hasSuspect).toBe(false);
    expect(new RunTransaction(createRun(LOOP, [open(3)])).hasSuspect).toBe(false);
  });
});

describe('the bytes of a claimed run', () => {
  const sized = (stepId: string, bytes: number, more: Partial<JournalEntry> = {}): JournalEntry =>
    entry(stepId, { bytes, ...more });

  it('leave out the entries inside finished iterations, even when the journal is loaded in parts', () => {
    const run = createRun(LOOP, [{ ...open(3), bytes: 5 }, sized('each[0].a', 100)]);
    expect(run.bytes).toBe(105);
    run.load([sized('each[0].b', 100), sized('each[1].a', 100)]);
    expect(run.bytes).toBe(105);
    run.load([sized('each[1].b', 100), sized('each[2].a', 7)]);
    expect(run.bytes).toBe(12);
    expect(ready(run)).toEqual(['each[2].b']);
  });

  it('leave out the entries inside a loop that has ended', () => {
    const ended = { ...open(1), status: 'succeeded' as const, bytes: 5 };
    const run = createRun(LOOP, [ended, sized('each[0].a', 100), sized('each[0].b', 100)]);
    expect(run.bytes).toBe(5);
    expect(ready(run)).toEqual(['after']);
    const running = createRun(LOOP, [{ ...open(1), bytes: 5 }, sized('each[0].a', 100)]);
    commit(running, sized('each[0].b', 100), ended);
    expect(running.bytes).toBe(5);
  });

  it('change with each commit', () => {
    const run = createRun([tool('a')], [sized('a', 10, { status: 'running' })]);
    const tx = new RunTransaction(run);
    tx.stage(sized('a', 25, { progressBytes: 5 }));
    expect([run.bytes, tx.addedBytes, tx.bytes]).toEqual([10, 20, 30]);
    tx.apply();
    expect([run.bytes, tx.addedBytes]).toEqual([30, 0]);
  });
});
