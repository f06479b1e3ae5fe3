import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { EventName } from '../../events/domain-events.js';
import type { WaitEvent } from '../definitions/steps/event-wait-step.js';

/**
 * armed: the step waits. delivered: what it waits for has come, perhaps before the step was reached. consumed and
 * closed: the step took it, or its time was over; kept for resume URLs, which may be called again.
 */
export type RunWaitState = 'armed' | 'delivered' | 'consumed' | 'closed';

/** What one step of a run waits for besides a time. */
@Entity('run_waits')
@Index('run_waits_armed_idx', ['organizationId', 'event', 'contactId', 'runId', 'stepId'], {
  where: `state = 'armed'`,
})
@Index('run_waits_child_idx', ['organizationId', 'childRunId'], {
  where: 'child_run_id is not null',
})
export class RunWait {
  @PrimaryColumn('text', { name: 'organization_id', primaryKeyConstraintName: 'run_waits_pkey' })
  organizationId: string;

  @PrimaryColumn('text', { name: 'run_id', primaryKeyConstraintName: 'run_waits_pkey' })
  runId: string;

  @PrimaryColumn('text', { name: 'step_id', primaryKeyConstraintName: 'run_waits_pkey' })
  stepId: string;

  @Column('text')
  event: WaitEvent;

  @Column('text')
  state: RunWaitState;

  /** Events about other contacts do not count; empty: any counts. */
  @Column('text', { name: 'contact_id', default: '' })
  contactId: string;

  /** A Liquid condition on the event, and the values of the run that it refers to, as they were when the wait began. */
  @Column('text', { nullable: true })
  condition: string | null;

  @Column('json', { nullable: true })
  bindings: object | null;

  /** The run whose end is waited for. */
  @Column('text', { name: 'child_run_id', nullable: true })
  childRunId: string | null;

  @Column('json', { nullable: true })
  payload: object | null;

  /** Why the condition could not be evaluated. */
  @Column('text', { nullable: true })
  error: string | null;

  @Column('timestamptz', { name: 'armed_at', nullable: true })
  armedAt: Date | null;

  /** The transaction in which the wait began, and those that had ended by then. */
  @Column('text', { name: 'armed_xid', nullable: true })
  armedXid: string | null;

  @Column('text', { name: 'armed_snapshot', nullable: true })
  armedSnapshot: string | null;
}

/** An event that has happened and is yet to be handed to the runs that wait for it. */
@Entity('pending_events')
export class PendingEvent {
  @PrimaryColumn('text', {
    name: 'organization_id',
    primaryKeyConstraintName: 'pending_events_pkey',
  })
  organizationId: string;

  @Index('pending_events_id_idx')
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pending_events_pkey' })
  id: string;

  @Column('text')
  name: EventName;

  @Column('text', { name: 'contact_id', nullable: true })
  contactId: string | null;

  @Column('json')
  payload: object;

  /** The transaction that it happened in. */
  @Column('text')
  xid: string;

  @Column('timestamptz', { name: 'happened_at' })
  happenedAt: Date;

  /** The last wait that it was held against. */
  @Column('text', { name: 'after_run_id', default: '' })
  afterRunId: string;

  @Column('text', { name: 'after_step_id', default: '' })
  afterStepId: string;

  /** When a worker may take it: at once, or at the end of the lease of the worker that has it. */
  @Index('pending_events_due_idx')
  @Column('timestamptz', { name: 'available_at', default: () => 'now()' })
  availableAt: Date;

  @Column('integer', { default: 0 })
  epoch: number;
}
