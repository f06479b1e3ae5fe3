import { setMaxListeners } from 'node:events';
import type { Step } from '../definitions/definition.js';
import { type Place, type Plan, planOf } from '../definitions/step-engine.js';
import type { RunTriggerType } from '../definitions/trigger.js';
import { LeaseLost } from './lease-lost.js';
import type { RunStep } from './run-step.entity.js';

/** Holds a run by its epoch. */
export interface RunLease {
  readonly id: string;
  readonly organizationId: string;
  readonly epoch: number;
}

/** What the journal says of one step. */
export type JournalEntry = Omit<
  RunStep,
  'organizationId' | 'runId' | 'startedAt' | 'finishedAt'
> & {
  /** Where it waits for a time: when that comes, by `performance.now()`, as the clock of the database has it. */
  dueAt?: number;
};

/** What does not change about a run while a worker holds it. */
export interface RunContent {
  readonly run: RunFacts;
  readonly workflowName: string;
  readonly payload: unknown;
  readonly steps: readonly Step[];
}

/** A run in the hands of this worker, with its journal as far as it is committed. */
export class HeldRun {
  /** Steps that are being carried out. */
  readonly inFlight = new Set<string>();
  /** A transaction is open that several steps share. */
  isShared = false;
  private readonly entries: Map<string, JournalEntry>;
  private readonly passed = new Set<string>();
  /** What the open transaction has written. */
  private readonly staged = new Map<string, JournalEntry>();
  private readonly abort = new AbortController();
  private readonly suspects = new Map<string, JournalEntry | undefined>();
  private turn: Promise<void> = Promise.resolve();
  private position: number;

  constructor(
    readonly lease: RunLease,
    lost: AbortSignal,
    readonly content: RunContent,
    journal: readonly JournalEntry[],
  ) {
    this.entries = new Map(journal.map((entry) => [entry.stepId, entry]));
    this.position = Math.max(0, ...journal.map((entry) => entry.position));
    // Each step that is being carried out listens, and Node.js would warn of a leak at the eleventh.
    setMaxListeners(0, lost, this.abort.signal);
    const stop = (): void => this.abort.abort(lost.reason);
    lost.addEventListener('abort', stop);
    if (lost.aborted) stop();
    this.forgetPassed();
    if (content.run.crashes === 0) return;
    for (const { path } of this.plan().ready) this.suspects.set(path, this.entries.get(path));
  }

  get run(): RunFacts {
    return this.content.run;
  }

  /** Aborted when the run is no longer held. */
  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** What is committed. */
  get journal(): ReadonlyMap<string, JournalEntry> {
    return this.entries;
  }

  /** How many steps the run has begun, and at what place in their order the next one comes. */
  get steps(): number {
    return this.position;
  }

  plan(): Plan {
    return planOf(this.content.steps, this.entries, this.passed);
  }

  /** The plan as it is once the open transaction has committed. */
  planAfter(): Plan {
    return planOf(this.content.steps, { get: (path) => this.journalAfter(path) }, this.passed);
  }

  /**
   * Whether, once the open transaction has committed, a step may still be the one that a worker died at: steps beside
   * it that get on say nothing of it.
   */
  get isSuspect(): boolean {
    return [...this.suspects].some(([path, atFirst]) => {
      const entry = this.journalAfter(path);
      const isIntent = entry?.status === 'running' && entry.tool !== null;
      return entry === atFirst || isIntent;
    });
  }

  /** A first entry for a step; one that has an entry keeps its place. */
  newEntry({ path }: Place, tool: string | null = null): JournalEntry {
    const known = this.journalAfter(path);
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
      wakeAt: null,
    };
  }

  /** Writes an entry in memory as well; it counts once the open transaction has committed. */
  stage(entry: JournalEntry): void {
    this.staged.set(entry.stepId, entry);
  }

  /** Takes over what others have written of steps that nobody carries out. */
  refresh(entries: readonly JournalEntry[]): void {
    for (const entry of entries) {
      if (!this.inFlight.has(entry.stepId)) this.entries.set(entry.stepId, entry);
    }
  }

  /**
   * Runs one transaction after the other: they would otherwise wait for each other at the fence, each with a connection
   * in its hands. What is staged in one counts when it has committed: memory must not run ahead of the database.
   */
  async alone<T>(transaction: () => Promise<T>): Promise<T> {
    const earlier = this.turn;
    let end = (): void => undefined;
    this.turn = new Promise((resolve) => {
      end = resolve;
    });
    await earlier;
    try {
      if (this.signal.aborted) throw new LeaseLost();
      const result = await transaction();
      this.settle();
      return result;
    } finally {
      this.staged.clear();
      end();
    }
  }

  /** Takes over what is staged: its transaction has committed. */
  settle(): void {
    for (const [path, entry] of this.staged) this.entries.set(path, entry);
    this.staged.clear();
  }

  /** Runs what may fail by itself in a transaction that goes on: what it has staged is then forgotten. */
  async orUnstage<T>(work: () => Promise<T>): Promise<T> {
    const before = new Map(this.staged);
    try {
      return await work();
    } catch (error) {
      this.staged.clear();
      for (const [path, entry] of before) this.staged.set(path, entry);
      throw error;
    }
  }

  /** Nothing that is in flight may go on. */
  drop(): void {
    this.abort.abort(new LeaseLost());
  }

  /** Keeps nothing of turns of loops that are done: no step can see into them, and there may be a thousand. */
  forgetPassed(): void {
    const { passed } = this.plan();
    if (passed.length === 0) return;
    for (const turn of passed) this.passed.add(turn);
    for (const path of this.entries.keys()) {
      if (!turnsAround(path).some((turn) => this.passed.has(turn))) continue;
      this.entries.delete(path);
      this.suspects.delete(path);
    }
  }

  /** All entries as they are once the open transaction has committed. */
  get entriesAfter(): ReadonlyMap<string, JournalEntry> {
    return this.staged.size === 0 ? this.entries : new Map([...this.entries, ...this.staged]);
  }

  /** An entry as it is once the open transaction has committed. */
  journalAfter(path: string): JournalEntry | undefined {
    return this.staged.get(path) ?? this.entries.get(path);
  }
}

/** The turns of loops that an entry belongs to: `a[1]` and `a[1].b[2]` for `a[1].b[2].c`. */
function turnsAround(path: string): string[] {
  return [...path.matchAll(/\]\./g)].map(({ index }) => path.slice(0, index + 1));
}

/** What a worker needs to know of the row of a run. */
export interface RunFacts {
  readonly id: string;
  readonly organizationId: string;
  readonly workflowId: string;
  readonly workflowVersion: number;
  readonly triggerType: RunTriggerType;
  readonly depth: number;
  readonly crashes: number;
  /** Steps may set it. */
  contactId: string | null;
}
