import type { Step } from './definition.js';
import type { RunStep } from './run-step.entity.js';
import type { Run } from './run.entity.js';
import type { Place } from './step-engine.js';

/** Holds a run by its epoch. */
export interface RunLease {
  readonly id: string;
  readonly organizationId: string;
  readonly epoch: number;
}

/** What the journal says of one step. `due` of a wait was judged by the clock of the database. */
export type JournalEntry = Omit<
  RunStep,
  'organizationId' | 'runId' | 'startedAt' | 'finishedAt'
> & { due?: boolean };

/** A run in the hands of this worker, with its journal as far as it is committed. */
export interface HeldRun {
  readonly lease: RunLease;
  /** Aborted when the run is no longer held. */
  readonly signal: AbortSignal;
  readonly run: Run;
  readonly workflowName: string;
  readonly payload: unknown;
  readonly steps: readonly Step[];
  readonly journal: Map<string, JournalEntry>;
}

/** A first entry for a step; one that has an entry keeps its place. */
export function newEntry(held: HeldRun, place: Place, tool: string | null = null): JournalEntry {
  const known = held.journal.get(place.path);
  return {
    stepId: place.path,
    position: known?.position ?? held.journal.size + 1,
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
