import type { StepStatus } from '../definitions/steps/step-kind.js';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
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
@Unique('workflow_runs_dedupe_key', ['organizationId', 'workflowId', 'dedupeKey'])
@Index('workflow_runs_status_idx', ['organizationId', 'status', 'createdAt', 'id'])
@Index('workflow_runs_workflow_idx', ['organizationId', 'workflowId', 'status', 'createdAt', 'id'])
@Index('workflow_runs_contact_idx', ['organizationId', 'contactId', 'createdAt', 'id'], {
  where: 'contact_id is not null',
})
@Index('workflow_runs_finished_idx', ['organizationId', 'finishedAt'], {
  where: 'finished_at is not null',
})
@Index('workflow_runs_reason_idx', ['organizationId', 'reason', 'createdAt', 'id'], {
  where: 'reason is not null',
})
@Index('workflow_runs_root_idx', ['organizationId', 'rootRunId'], {
  where: 'root_run_id is not null',
})
@Index('workflow_runs_due_idx', ['organizationId', 'availableAt'], {
  where: `status = 'queued' and delayed_by is null`,
})
@Index(
  'workflow_runs_delayed_idx',
  ['organizationId', 'workflowId', 'delayedBy', 'createdAt', 'id'],
  {
    where: `status = 'queued' and delayed_by is not null`,
  },
)
@Index(
  'workflow_runs_debounce_idx',
  ['organizationId', 'workflowId', 'debounceKey', 'createdAt', 'id'],
  { where: `status = 'queued' and delayed_by = 'debounce'` },
)
@Index(
  'workflow_runs_slot_idx',
  ['organizationId', 'workflowId', 'delayedBy', 'slotKey', 'createdAt', 'id'],
  { where: `limited and status in ('queued', 'running')` },
)
@Index('workflow_runs_released_idx', ['organizationId', 'workflowId', 'releasedAt'], {
  where: 'released_at is not null',
})
export class Run {
  @PrimaryColumn('text', {
    name: 'organization_id',
    primaryKeyConstraintName: 'workflow_runs_pkey',
  })
  organizationId: string;

  @Index('workflow_runs_id_idx')
  @PrimaryColumn('text', { primaryKeyConstraintName: 'workflow_runs_pkey' })
  id: string;

  @Column('text', { name: 'workflow_id' })
  workflowId: string;

  @Column('integer', { name: 'workflow_version' })
  workflowVersion: number;

  @Column('text', { default: 'queued' })
  status: RunStatus;

  /** Why it waits, or ended as it did. */
  @Column('text', { nullable: true })
  reason: string | null;

  /** What started it: a webhook can also be started by hand. */
  @Column('text', { name: 'trigger_type' })
  triggerType: RunTriggerType;

  /** What the sender sent, byte for byte. Up to 1 MiB, so it is read only where it is needed. */
  @Column('bytea', { select: false })
  payload: Buffer;

  @Column('text', { name: 'contact_id', nullable: true })
  contactId: string | null;

  /** The run that it repeats, which may be gone. */
  @Column('text', { name: 'replay_of', nullable: true })
  replayOf: string | null;

  @Column('text', { name: 'dedupe_key', nullable: true })
  dedupeKey: string | null;

  @Column('bytea', { name: 'body_hash', nullable: true })
  bodyHash: Buffer | null;

  /** How many runs started each other up to this one. */
  @Column('integer', { default: 0 })
  depth: number;

  /** The first of the runs that led to this one; null for a first one. */
  @Column('text', { name: 'root_run_id', nullable: true })
  rootRunId: string | null;

  /** The fencing token: every claim takes the next one, and only its holder may write. */
  @Column('integer', { default: 0 })
  epoch: number;

  /** Workers that died with it since its last journalled step. */
  @Column('integer', { default: 0 })
  crashes: number;

  /** When a worker may take it: its wake time, or, while it runs, the end of the lease. */
  @Index('workflow_runs_lease_idx', { where: `status = 'running'` })
  @Index('workflow_runs_wake_idx', { where: `status = 'waiting'` })
  @Column('timestamptz', { name: 'available_at', default: () => 'now()' })
  availableAt: Date;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt: Date | null;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt: Date | null;

  /** Whether it was started under limits of its workflow. */
  @Column('boolean', { default: false })
  limited: boolean;

  /** The limit that keeps it in the queue, or null. */
  @Column('text', { name: 'delayed_by', nullable: true })
  delayedBy: RunLimit | null;

  /** When the limit must be checked again although nothing happens. */
  @Index('workflow_runs_delayed_until_idx', {
    where: `status = 'queued' and delayed_until is not null`,
  })
  @Column('timestamptz', { name: 'delayed_until', nullable: true })
  delayedUntil: Date | null;

  /** A later start with the same key puts it off for good. */
  @Column('text', { name: 'debounce_key', nullable: true })
  debounceKey: string | null;

  /** When the first of the starts came that it stands for. */
  @Column('timestamptz', { name: 'debounce_since', nullable: true })
  debounceSince: Date | null;

  /** When the rate limit let it go. */
  @Column('timestamptz', { name: 'released_at', nullable: true })
  releasedAt: Date | null;

  /** Only so many with the same key may be running. */
  @Column('text', { name: 'slot_key', nullable: true })
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
  @PrimaryColumn('text', { name: 'organization_id', primaryKeyConstraintName: 'run_steps_pkey' })
  organizationId: string;

  @PrimaryColumn('text', { name: 'run_id', primaryKeyConstraintName: 'run_steps_pkey' })
  runId: string;

  @PrimaryColumn('text', { name: 'step_id', primaryKeyConstraintName: 'run_steps_pkey' })
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
  @Column('json', { name: 'failed_attempts', nullable: true })
  failedAttempts: FailedAttempt[] | null;

  /** Of a wait: when it ends. */
  @Column('timestamptz', { name: 'wake_at', nullable: true })
  wakeAt: Date | null;

  @Column('timestamptz', { name: 'started_at' })
  startedAt: Date;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt: Date | null;
}

/** A run that was parked as `poison`, until the event of its failure has happened. */
@Entity('parked_runs')
export class ParkedRun {
  @PrimaryColumn('text', { name: 'organization_id', primaryKeyConstraintName: 'parked_runs_pkey' })
  organizationId: string;

  @PrimaryColumn('text', { name: 'run_id', primaryKeyConstraintName: 'parked_runs_pkey' })
  runId: string;
}
