import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EventName } from '../../events/domain-events.js';
import type { WaitEvent } from '../definitions/steps/event-wait-step.js';

/**
 * armed: the step waits. delivered: what it waits for has come, perhaps before the step was reached. consumed and
 * closed: the step took it, or its time was over; kept for resume URLs, which may be called again.
 */
export type RunWaitState = 'armed' | 'delivered' | 'consumed' | 'closed';

/** What one step of a run waits for besides a time. */
@Entity('run_waits')
export class RunWait {
  @PrimaryColumn('text')
  organizationId: string;

  @PrimaryColumn('text')
  runId: string;

  @PrimaryColumn('text')
  stepId: string;

  @Column('text')
  event: WaitEvent;

  @Column('text')
  state: RunWaitState;

  /** Events about other contacts do not count; empty: any counts. */
  @Column('text', { default: '' })
  contactId: string;

  /** A Liquid condition on the event, and the values of the run that it refers to, as they were when the wait began. */
  @Column('text', { nullable: true })
  condition: string | null;

  @Column('json', { nullable: true })
  bindings: object | null;

  /** The run whose end is waited for. */
  @Column('text', { nullable: true })
  childRunId: string | null;

  @Column('json', { nullable: true })
  payload: object | null;

  /** Why the condition could not be evaluated. */
  @Column('text', { nullable: true })
  error: string | null;

  @Column('timestamptz', { nullable: true })
  armedAt: Date | null;

  /** The transaction in which the wait began, and those that had ended by then. */
  @Column('text', { nullable: true })
  armedXid: string | null;

  @Column('text', { nullable: true })
  armedSnapshot: string | null;
}

/** An event that has happened and is yet to be handed to the runs that wait for it. */
@Entity('pending_events')
export class PendingEvent {
  @PrimaryColumn('text')
  organizationId: string;

  @PrimaryColumn('text')
  id: string;

  @Column('text')
  name: EventName;

  @Column('text', { nullable: true })
  contactId: string | null;

  @Column('json')
  payload: object;

  /** The transaction that it happened in. */
  @Column('text')
  xid: string;

  @Column('timestamptz')
  happenedAt: Date;

  /** The last wait that it was held against. */
  @Column('text', { default: '' })
  afterRunId: string;

  @Column('text', { default: '' })
  afterStepId: string;

  /** When a worker may take it: at once, or at the end of the lease of the worker that has it. */
  @Column('timestamptz', { default: () => 'now()' })
  availableAt: Date;

  @Column('integer', { default: 0 })
  epoch: number;
}
