import type { StepStatus } from '../definitions/steps/step-kind.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow, OrganizationRowWithId } from '../../database/organization-row.js';
import type { Fault } from '../../errors/app-error.js';
import type { LoopProgress } from '../definitions/steps/loop-progress.js';
import type { RunLimit } from '../definitions/run-limits.js';
import type { RunTriggerType } from '../definitions/trigger.js';
import type { TriggerRequest } from '../definitions/trigger-request.js';
import type { WebhookAnswer } from '../definitions/webhook-answer.js';
import type { LargePayload } from '../payloads/large-value.js';
import type { CutValues } from './cut-values.js';

export const RUN_STATUSES = [
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'canceled',
] as const;

export type RunStatus = (typeof RUN_STATUSES)[number];

/** Stores a run of one version of a workflow. This row decides the state of the run. Wake-ups contain only its id. */
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

  /** The kind of start of the run. A run of a workflow with a webhook trigger can also be `manual`. */
  @Column('text')
  triggerType: RunTriggerType;

  /** The body as received, or the outline of a large payload. Queries select it only on request. */
  @Column('bytea', { select: false })
  payload: Buffer;

  /** Null unless the bytes of the payload are a file of the run. Queries select it only on request. */
  @Column('json', { nullable: true, select: false })
  largePayload?: LargePayload | null;

  /** The part of the starting request that steps read. Queries select it only on request. */
  @Column('json', { nullable: true, select: false })
  request?: TriggerRequest | null;

  /** The answer of the first `respond` step. Queries select it only on request. */
  @Column('json', { nullable: true, select: false })
  answer?: WebhookAnswer | null;

  @Column('text', { nullable: true })
  contactId: string | null;

  /** True when the run had a contact that was deleted. */
  @Column('boolean', { default: false })
  lostContact: boolean;

  /** The run that this run replays. It may have been deleted. */
  @Column('text', { nullable: true })
  replayOf: string | null;

  @Column('text', { nullable: true })
  dedupeKey: string | null;

  @Column('bytea', { nullable: true })
  bodyHash: Buffer | null;

  /** The number of runs in the chain of runs that started this run. */
  @Column('integer', { default: 0 })
  depth: number;

  /** The first run in the chain of runs that started this run, or null for a run that no other run started. */
  @Column('text', { nullable: true })
  rootRunId: string | null;

  /** The fencing token. Every claim raises it, and every write of a worker checks it. */
  @Column('integer', { default: 0 })
  epoch: number;

  /** The number of workers that died with this run since its last progress. */
  @Column('integer', { default: 0 })
  crashes: number;

  /**
   * The time from which a worker may claim the run: the end of its wait, or the end of the lease while it is
   * running.
   */
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

  /** The limit that keeps the run in the queue, or null. */
  @Column('text', { nullable: true })
  delayedBy: RunLimit | null;

  /** The time at which the limit is checked again, even if no other run has ended until then. */
  @Column('timestamptz', { nullable: true })
  delayedUntil: Date | null;

  /** The debounce key. A later start with the same key replaces this run. */
  @Column('text', { nullable: true })
  debounceKey: string | null;

  /** The time of the first start that this run replaces. */
  @Column('timestamptz', { nullable: true })
  debounceSince: Date | null;

  /**
   * The time at which the run began, if there is a rate limit. The database has `infinity` while the run has passed the
   * rate limit but has not begun.
   */
  @Column('timestamptz', { nullable: true, select: false })
  releasedAt: Date | null;

  /** The earlier times at which the run began. Only times that still count against the rate limit are kept. */
  @Column('timestamptz', { nullable: true, array: true, select: false })
  earlierBegins: Date[] | null;

  /** The concurrency key. The limit counts runs with the same key. */
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
  /** The answer of another system, with at most 16 Ki characters of its body. */
  response?: object;
}

/** Stores an entry of a run journal. It is written in the same transaction as the effect of the step. */
@Entity('run_steps')
export class RunStep extends OrganizationRow {
  @PrimaryColumn('text')
  runId: string;

  @PrimaryColumn('text')
  stepId: string;

  /** The number of the step in the order of execution, from 1. */
  @Column('integer')
  position: number;

  /** The tool. Null for steps that call none. */
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

  /** The large values of the step. Queries select them only on request. */
  @Column('json', { nullable: true, select: false })
  cut?: CutValues | null;

  /** The position of a loop whose finished iterations are folded. */
  @Column('json', { nullable: true })
  progress: LoopProgress | null;

  /** The time until which the step waits. */
  @Column('timestamptz', { nullable: true })
  wakeAt: Date | null;

  @Column('timestamptz')
  startedAt: Date;

  @Column('timestamptz', { nullable: true })
  finishedAt: Date | null;
}

/** Lists a parked run until its event `run.failed` is emitted. */
@Entity('parked_runs')
export class ParkedRun extends OrganizationRow {
  @PrimaryColumn('text')
  runId: string;
}
