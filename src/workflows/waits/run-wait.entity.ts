import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow, OrganizationRowWithId } from '../../database/organization-row.js';
import type { EventName } from '../../events/domain-events.js';
import type { WaitEvent } from '../definitions/steps/event-wait-step.js';

/**
 * `armed` means that the step waits, `delivered` that the event has come (for a resume URL perhaps early), `consumed`
 * that the step has used it, `closed` that the wait timed out. The last two are kept for later calls of a resume URL.
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

  /** Only events about this contact end the wait. If it is empty, events about any contact do. */
  @Column('text', { default: '' })
  contactId: string;

  /** The event must meet this Liquid condition. `bindings` has values that it reads, from the start of the wait. */
  @Column('text', { nullable: true })
  condition: string | null;

  @Column('json', { nullable: true })
  bindings: object | null;

  /** The step waits for the end of this run. */
  @Column('text', { nullable: true })
  childRunId: string | null;

  /** That run is canceled together with this one. */
  @Column('boolean', { default: false })
  cancelsChild: boolean;

  @Column('json', { nullable: true })
  payload: object | null;

  /** The condition failed with this error. */
  @Column('text', { nullable: true })
  error: string | null;

  @Column('timestamptz', { nullable: true })
  armedAt: Date | null;

  /** The wait began in the transaction with this id and snapshot. */
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

  /** The transaction with this id emitted the event. */
  @Column('text')
  xid: string;

  @Column('timestamptz')
  happenedAt: Date;

  /** The event was last compared with this wait. */
  @Column('text', { default: '' })
  afterRunId: string;

  @Column('text', { default: '' })
  afterStepId: string;

  /** A worker may claim the event from this time on. While it is claimed, this is the end of the lease. */
  @Column('timestamptz', { default: () => 'now()' })
  availableAt: Date;

  @Column('integer', { default: 0 })
  epoch: number;
}
