import type { StepStatus } from '../definitions/steps/step-kind.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Fault } from '../../errors/app-error.js';
import type { RunLimit } from '../definitions/run-limits.js';
import type { RunTriggerType } from '../definitions/trigger.js';

export const RUN_STATUSES = [
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'canceled',
] as const;

export type RunStatus = (typeof RUN_STATUSES)[number];

/** One run of one version of a workflow. This row is the truth; what a queue says about it is a hint. */
@Entity('workflow_runs')
export class Run {
  @PrimaryColumn('text')
  organizationId: string;

  @PrimaryColumn('text')
  id: string;

  @Column('text')
  workflowId: string;

  @Column('integer')
  workflowVersion: number;

  @Column('text', { default: 'queued' })
  status: RunStatus;

  /** Why it waits, or ended as it did. */
  @Column('text', { nullable: true })
  reason: string | null;

  /** What started it: a webhook can also be started by hand. */
  @Column('text')
  triggerType: RunTriggerType;

  /** What the sender sent, byte for byte. Up to 1 MiB, so it is read only where it is needed. */
  @Column('bytea', { select: false })
  payload: Buffer;

  @Column('text', { nullable: true })
  contactId: string | null;

  /** The run that it repeats, which may be gone. */
  @Column('text', { nullable: true })
  replayOf: string | null;

  @Column('text', { nullable: true })
  dedupeKey: string | null;

  @Column('bytea', { nullable: true })
  bodyHash: Buffer | null;

  /** How many runs started each other up to this one. */
  @Column('integer', { default: 0 })
  depth: number;

  /** The first of the runs that led to this one; null for a first one. */
  @Column('text', { nullable: true })
  rootRunId: string | null;

  /** The fencing token: every claim takes the next one, and only its holder may write. */
  @Column('integer', { default: 0 })
  epoch: number;

  /** Workers that died with it since its last journalled step. */
  @Column('integer', { default: 0 })
  crashes: number;

  /** When a worker may take it: its wake time, or, while it runs, the end of the lease. */
  @Column('timestamptz', { default: () => 'now()' })
  availableAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  startedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  finishedAt: Date | null;

  /** Whether it was started under limits of its workflow. */
  @Column('boolean', { default: false })
  limited: boolean;

  /** The limit that keeps it in the queue, or null. */
  @Column('text', { nullable: true })
  delayedBy: RunLimit | null;

  /** When the limit must be checked again although nothing happens. */
  @Column('timestamptz', { nullable: true })
  delayedUntil: Date | null;

  /** A later start with the same key puts it off for good. */
  @Column('text', { nullable: true })
  debounceKey: string | null;

  /** When the first of the starts came that it stands for. */
  @Column('timestamptz', { nullable: true })
  debounceSince: Date | null;

  /** When the rate limit let it go. */
  @Column('timestamptz', { nullable: true })
  releasedAt: Date | null;

  /** Only so many with the same key may be running. */
  @Column('text', { nullable: true })
  slotKey: string | null;
}

/** One of the attempts of a step that failed. */
export interface FailedAttempt {
  attempt: number;
  failed_at: string;
  error: StepError;
}

export interface StepError {
  code: string;
  message: string;
  details?: readonly Fault[];
}

/** The journal of a run: one row per step that it reached, written in the transaction of the step's effect. */
@Entity('run_steps')
export class RunStep {
  @PrimaryColumn('text')
  organizationId: string;

  @PrimaryColumn('text')
  runId: string;

  @PrimaryColumn('text')
  stepId: string;

  /** Order of execution, from 1. */
  @Column('integer')
  position: number;

  /** Null for a branch or a wait. */
  @Column('text', { nullable: true })
  tool: string | null;

  @Column('text')
  status: StepStatus;

  @Column('integer')
  attempts: number;

  @Column('json', { nullable: true })
  input: object | null;

  @Column('json', { nullable: true })
  output: object | null;

  @Column('json', { nullable: true })
  error: StepError | null;

  /** The last of them, the oldest first, also those from before the run was retried. */
  @Column('json', { nullable: true })
  failedAttempts: FailedAttempt[] | null;

  /** Of a wait: when it ends. */
  @Column('timestamptz', { nullable: true })
  wakeAt: Date | null;

  @Column('timestamptz')
  startedAt: Date;

  @Column('timestamptz', { nullable: true })
  finishedAt: Date | null;
}

/** A run that was parked as `poison`, until the event of its failure has happened. */
@Entity('parked_runs')
export class ParkedRun {
  @PrimaryColumn('text')
  organizationId: string;

  @PrimaryColumn('text')
  runId: string;
}
