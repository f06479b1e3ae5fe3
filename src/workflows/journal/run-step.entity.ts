import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Fault } from '../../errors/app-error.js';
import type { StepStatus } from '../definitions/step-engine.js';

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
