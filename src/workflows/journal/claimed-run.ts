import { setMaxListeners } from 'node:events';
import type { AppError } from '../../errors/app-error.js';
import type { Step } from '../definitions/definition.js';
import { type Journal, type Place, type Plan, planOf } from '../definitions/step-engine.js';
import { TIMEOUT_STEP_ID } from '../definitions/steps/timeout-step.js';
import { isInside, loopOf } from './iteration-paths.js';
import { sizeOf } from './journal-size.js';
import { LeaseLostError, type RunLease } from './run-lease.js';
import type { LoopProgress } from '../definitions/steps/loop-progress.js';
import type { Run, RunStep } from './run.entity.js';

/** A step row of a run in the memory of the worker. */
export type JournalEntry = Omit<
  RunStep,
  'organizationId' | 'runId' | 'startedAt' | 'finishedAt' | 'cut' | 'progress'
> & {
  progress?: LoopProgress | null;
  /** The bytes of the JSON of `input`, `output`, `error` and `failedAttempts`, as `journalBytes` counts them. */
  bytes?: number;
  /** The bytes of the JSON of `progress`, counted in the same way. */
  progressBytes?: number;
  /** The time of `performance.now()` at which a waiting step is due. It is computed from the database clock. */
  dueAt?: number;
};

/** The part of the run row that a worker reads. Steps may change the contact. */
export type ClaimedRunRow = Pick<
  Run,
  | 'id'
  | 'organizationId'
  | 'workflowId'
  | 'workflowVersion'
  | 'triggerType'
  | 'depth'
  | 'crashes'
  | 'contactId'
  | 'lostContact'
  | 'createdAt'
  | 'request'
>;

export interface ClaimedRunData {
  readonly row: ClaimedRunRow;
  /** The name of the workflow, even of a deleted one. */
  readonly workflowName: string;
  readonly payload: unknown;
  /** True when the bytes of the payload are a file of the run. */
  readonly isLarge?: boolean;
  /** The steps of the run's version. With a contact mapping, a generated first step saves the contact. */
  readonly steps: readonly Step[];
  /** The error of a definition that is too large to be read. Then `steps` is empty, and the run must end. */
  readonly definitionError?: AppError;
}

/**
 * The error of a step that must not continue, because another list of its race was done first or the run has timed out.
 */
export class StepCanceledError extends Error {}

/** A run whose lease this worker has, with its committed journal in memory. */
export class ClaimedRun {
  private readonly runningSteps = new Map<string, AbortController>();
  private readonly entries = new Map<string, JournalEntry>();
  private readonly doneIterations = new Set<string>();
  private readonly suspectSteps = new Map<string, JournalEntry | undefined>();
  private readonly abort = new AbortController();
  private lastTransaction: Promise<void> = Promise.resolve();
  private position = 0;
  private size = 0;

  constructor(
    readonly lease: RunLease,
    leaseLost: AbortSignal,
    readonly data: ClaimedRunData,
    journal: readonly JournalEntry[],
  ) {
    // Each running step adds a listener. With the default maximum, Node.js would warn of a leak at the eleventh
    // listener.
    setMaxListeners(0, leaseLost, this.abort.signal);
    const stop = (): void => this.abort.abort(leaseLost.reason);
    this.abort.signal.addEventListener('abort', () => {
      for (const step of this.runningSteps.values()) step.abort(this.abort.signal.reason);
    });
    leaseLost.addEventListener('abort', stop);
    if (leaseLost.aborted) stop();
    this.load(journal);
  }

  /**
   * Adds the next part of the stored journal, in the order of positions. All parts must be added before a step runs.
   * After each part, the entries inside finished iterations are removed from memory.
   */
  load(journal: readonly JournalEntry[]): void {
    for (const entry of journal) {
      this.set(entry);
      this.position = Math.max(this.position, entry.position);
    }
    this.forgetDoneIterations();
    // The row of a loop comes before the rows inside the loop, so earlier parts have no entries of these loops.
    const paths = journal.map(({ stepId }) => stepId);
    this.forget(paths, (iteration) => this.isGone(iteration));
    this.suspectSteps.clear();
    if (this.row.crashes === 0) return;
    for (const { path } of this.plan().ready) this.suspectSteps.set(path, this.entries.get(path));
  }

  get row(): ClaimedRunRow {
    return this.data.row;
  }

  /** Returns the signal that aborts when this worker loses the lease. */
  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** The paths of the steps that run now. */
  get running(): Iterable<string> {
    return this.runningSteps.keys();
  }

  isRunning(path: string): boolean {
    return this.runningSteps.has(path);
  }

  /** Marks a step as running until {@link endStep}. */
  beginStep(path: string): void {
    this.runningSteps.set(path, new AbortController());
  }

  endStep(path: string): void {
    this.runningSteps.delete(path);
  }

  /**
   * Returns a signal that aborts when this worker loses the lease, or with {@link StepCanceledError} when the step is
   * canceled.
   */
  signalOf(path: string): AbortSignal {
    const step = this.runningSteps.get(path);
    if (!step) throw new Error(`The step ${path} is not running.`);
    if (this.signal.aborted) step.abort(this.signal.reason);
    return step.signal;
  }

  /** Returns the committed entries by their paths. */
  get journal(): ReadonlyMap<string, JournalEntry> {
    return this.entries;
  }

  /** Returns the steps that may have crashed an earlier worker, with their entries at the time of this claim. */
  get suspects(): ReadonlyMap<string, JournalEntry | undefined> {
    return this.suspectSteps;
  }

  /** The bytes of the journal in memory. */
  get bytes(): number {
    return this.size;
  }

  get stepCount(): number {
    return this.position;
  }

  get(path: string): JournalEntry | undefined {
    return this.entries.get(path);
  }

  /** Creates the entry for a new attempt of a step. A step that already has an entry keeps its position. */
  newEntry(
    { path }: Place,
    tool: string | null = null,
    known: JournalEntry | undefined = this.entries.get(path),
  ): JournalEntry {
    const position = known?.position ?? (this.position += 1);
    return {
      stepId: path,
      position,
      tool,
      status: 'running',
      attempts: 1,
      input: null,
      output: null,
      error: null,
      failedAttempts: known?.failedAttempts ?? null,
      progress: known?.progress ?? null,
      wakeAt: null,
    };
  }

  /** Plans the next steps from the given journal. The default is the committed journal. */
  plan(journal: Journal = this): Plan {
    return planOf(this.data.steps, journal, this.doneIterations);
  }

  /** Adds committed entries to the journal in memory. Aborts the calls of steps that were canceled. */
  apply(entries: Iterable<JournalEntry>): void {
    for (const entry of entries) {
      this.set(entry);
      if (entry.status === 'succeeded' && isLoop(entry)) {
        this.forget(this.entries.keys(), (iteration) => loopOf(iteration) === entry.stepId);
      }
      const isTimeOver = entry.stepId === TIMEOUT_STEP_ID && entry.status === 'failed';
      for (const [path, step] of this.runningSteps) {
        const isCanceled = entry.stepId === path && entry.status === 'skipped';
        if (isCanceled || isTimeOver) step.abort(new StepCanceledError());
      }
    }
  }

  /** Replaces entries by newer entries from the database. The entries of running steps are not replaced. */
  refresh(entries: readonly JournalEntry[]): void {
    this.apply(entries.filter(({ stepId }) => !this.isRunning(stepId)));
  }

  /**
   * Runs transactions of this run one after the other. In parallel, they would wait at the fence, each with a database
   * connection. Throws {@link LeaseLostError} when the lease is lost before the transaction begins.
   */
  async runInTurn<T>(transaction: () => Promise<T>): Promise<T> {
    const earlier = this.lastTransaction;
    let end = (): void => undefined;
    this.lastTransaction = new Promise((resolve) => {
      end = resolve;
    });
    await earlier;
    try {
      if (this.signal.aborted) throw new LeaseLostError();
      return await transaction();
    } finally {
      end();
    }
  }

  /** Returns true when the iteration is done. Then no entry inside it can change. */
  isDone(iteration: string): boolean {
    return this.doneIterations.has(iteration);
  }

  /** Removes the entries inside these iterations after their rows were deleted. */
  forgetFolded(iterations: ReadonlySet<string>): void {
    if (iterations.size === 0) return;
    const isFolded = (path: string): boolean =>
      isInside(`${path}.`, (iteration) => iterations.has(iteration));
    for (const path of this.entries.keys()) if (isFolded(path)) this.delete(path);
    for (const path of this.suspectSteps.keys()) if (isFolded(path)) this.suspectSteps.delete(path);
    for (const path of this.doneIterations) if (isFolded(path)) this.doneIterations.delete(path);
  }

  abandon(): void {
    this.abort.abort(new LeaseLostError());
  }

  /** Removes the entries inside finished loop iterations from memory. No step reads them. */
  forgetDoneIterations(): void {
    const { doneIterations } = this.plan();
    if (doneIterations.length === 0) return;
    for (const path of doneIterations) this.doneIterations.add(path);
    this.forget(this.entries.keys(), (iteration) => this.doneIterations.has(iteration));
  }

  /** Removes those of the entries that are inside an iteration for which `isGone` returns true. */
  private forget(paths: Iterable<string>, isGone: (iteration: string) => boolean): void {
    for (const path of paths) {
      if (!isInside(path, isGone)) continue;
      this.delete(path);
      this.suspectSteps.delete(path);
    }
  }

  /** Returns true when the iteration is done or its loop has ended. */
  private isGone(iteration: string): boolean {
    return this.doneIterations.has(iteration) || this.isEnded(loopOf(iteration));
  }

  private isEnded(path: string): boolean {
    const status = this.entries.get(path)?.status;
    return status === 'succeeded' || status === 'failed' || status === 'skipped';
  }

  private set(entry: JournalEntry): void {
    this.size += sizeOf(entry) - sizeOf(this.entries.get(entry.stepId));
    this.entries.set(entry.stepId, entry);
  }

  private delete(path: string): void {
    this.size -= sizeOf(this.entries.get(path));
    this.entries.delete(path);
  }
}

function isLoop({ tool, input }: JournalEntry): boolean {
  return tool === null && input !== null && 'items' in input;
}
