import type { StepStatus } from '../definitions/steps/step-kind.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow, OrganizationRowWithId } from '../../database/organization-row.js';
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

/** One run of one version of a workflow. This row decides the state of the run; messages of a queue are only hints. */
@Entity('workflow_runs')
export class Run extends OrganizationRowWithId {
  @Column('text')
  workflowId: string;

  @Column('integer')
  workflowVersion: number;

  @Column('text', { default: 'queued' })
  status: RunStatus;

  /** The reason why the run waits or has ended. */
  @Column('text', { nullable: true })
  reason: string | null;

  /** How the run was started. A run of a workflow with a webhook trigger can also be `manual`. */
  @Column('text')
  triggerType: RunTriggerType;

  /** The body as received, up to 1 MiB. Queries select it only on request. */
  @Column('bytea', { select: false })
  payload: Buffer;

  @Column('text', { nullable: true })
  contactId: string | null;

  /** The run that this one replays; it may have been deleted. */
  @Column('text', { nullable: true })
  replayOf: string | null;

  @Column('text', { nullable: true })
  dedupeKey: string | null;

  @Column('bytea', { nullable: true })
  bodyHash: Buffer | null;

  /** The number of runs in the chain of runs that started this one. */
  @Column('integer', { default: 0 })
  depth: number;

  /** The first run of that chain; null for a run that no other run started. */
  @Column('text', { nullable: true })
  rootRunId: string | null;

  /** The fencing token. Every claim raises it, and every write of a worker checks it. */
  @Column('integer', { default: 0 })
  epoch: number;

  /** The number of workers that died with this run since its last progress. */
  @Column('integer', { default: 0 })
  crashes: number;

  /** When a worker may claim the run: the time that it waits for, or the end of the lease while it is running. */
  @Column('timestamptz', { default: () => 'now()' })
  availableAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  startedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  finishedAt: Date | null;

  /** True when the workflow had limits when the run was started. */
  @Column('boolean', { default: false })
  limited: boolean;

  /** The limit that keeps it in the queue, or null. */
  @Column('text', { nullable: true })
  delayedBy: RunLimit | null;

  /** The time at which the limit is checked again, even if no other run ends before. */
  @Column('timestamptz', { nullable: true })
  delayedUntil: Date | null;

  /** A later start with the same key replaces this run. */
  @Column('text', { nullable: true })
  debounceKey: string | null;

  /** The time of the first start that this run replaces. */
  @Column('timestamptz', { nullable: true })
  debounceSince: Date | null;

  /** When the rate limit released the run. */
  @Column('timestamptz', { nullable: true })
  releasedAt: Date | null;

  /** The key of the concurrency limit. */
  @Column('text', { nullable: true })
  slotKey: string | null;
}

interface FailedAttempt {
  attempt: number;
  failed_at: string;
  error: StepError;
}

export interface StepError {
  code: string;
  message: string;
  details?: readonly Fault[];
}

/** One row of a run journal. It is written in the same transaction as the effect of the step. */
@Entity('run_steps')
export class RunStep extends OrganizationRow {
  @PrimaryColumn('text')
  runId: string;

  @PrimaryColumn('text')
  stepId: string;

  /** The order of execution, from 1. */
  @Column('integer')
  position: number;

  /** Null for steps that call no tool. */
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

  /** The last failed attempts, the oldest first, including those before a retry of the run. */
  @Column('json', { nullable: true })
  failedAttempts: FailedAttempt[] | null;

  /** The time until which the step waits. */
  @Column('timestamptz', { nullable: true })
  wakeAt: Date | null;

  @Column('timestamptz')
  startedAt: Date;

  @Column('timestamptz', { nullable: true })
  finishedAt: Date | null;
}

/** A parked run whose event `run.failed` has not been emitted yet. */
@Entity('parked_runs')
export class ParkedRun extends OrganizationRow {
  @PrimaryColumn('text')
  runId: string;
}
