import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow, OrganizationRowWithId } from '../../database/organization-row.js';
import type { EventName } from '../../events/domain-events.js';
import type { WaitEvent } from '../definitions/steps/event-wait-step.js';

/**
 * The states of a wait. `armed`: the step waits. `delivered`: the event has come (a resume URL may be called before its
 * step begins). `consumed`: the step has used the event. `closed`: the wait timed out. Rows with the last two states
 * are kept for later calls of a resume URL.
 */
export type RunWaitState = 'armed' | 'delivered' | 'consumed' | 'closed';

/** Stores the event that a step of a run waits for. */
@Entity('run_waits')
export class RunWait extends OrganizationRow {
  @PrimaryColumn('text')
  runId: string;

  @PrimaryColumn('text')
  stepId: string;

  @Column('text')
  event: WaitEvent;

  @Column('text')
  state: RunWaitState;

  /** The contact of the events that end the wait. When empty, events about any contact end it. */
  @Column('text', { default: '' })
  contactId: string;

  /**
   * The Liquid condition that the event must meet. `bindings` has the values that the condition reads, as they were
   * when the wait began.
   */
  @Column('text', { nullable: true })
  condition: string | null;

  @Column('json', { nullable: true })
  bindings: object | null;

  /** The run whose end the step waits for. */
  @Column('text', { nullable: true })
  childRunId: string | null;

  /** True when the child run is canceled together with this run. */
  @Column('boolean', { default: false })
  cancelsChild: boolean;

  @Column('json', { nullable: true })
  payload: object | null;

  /** The error with which the condition failed. */
  @Column('text', { nullable: true })
  error: string | null;

  /** True after `gate.wake_runs` has looked at the delivered wait and has woken its run if the run was waiting. */
  @Column('boolean', { default: false })
  isSwept: boolean;

  @Column('timestamptz', { nullable: true })
  armedAt: Date | null;

  /**
   * The timeout of the wait. An event that happened later does not end the wait. Null for a wait that an earlier version
   * stored.
   */
  @Column('timestamptz', { nullable: true })
  endsAt: Date | null;

  /** The id of the transaction in which the wait began. `armedSnapshot` is its snapshot. */
  @Column('text', { nullable: true })
  armedXid: string | null;

  @Column('text', { nullable: true })
  armedSnapshot: string | null;
}

/** Stores an event until it is delivered to all runs that wait for it. */
@Entity('pending_events')
export class PendingEvent extends OrganizationRowWithId {
  @Column('text')
  name: EventName;

  @Column('text', { nullable: true })
  contactId: string | null;

  @Column('json')
  payload: object;

  /** The id of the transaction that emitted the event. */
  @Column('text')
  xid: string;

  @Column('timestamptz')
  happenedAt: Date;

  /** The run of the last wait with which the event was compared. */
  @Column('text', { default: '' })
  afterRunId: string;

  @Column('text', { default: '' })
  afterStepId: string;

  /** The time from which a worker may claim the event. While it is claimed, this is the end of the lease. */
  @Column('timestamptz', { default: () => 'now()' })
  availableAt: Date;

  @Column('integer', { default: 0 })
  epoch: number;

  /** The number of failed deliveries since the last wait that got the event. */
  @Column('integer', { default: 0 })
  failures: number;
}
