import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow, OrganizationRowWithId } from '../../database/organization-row.js';
import type { EventName } from '../../events/domain-events.js';
import type { WaitEvent } from '../definitions/steps/event-wait-step.js';

/**
 * `armed`: the step waits. `delivered`: the event has come, for a resume URL perhaps before the step began. `consumed`: the
 * step has used the event. `closed`: the wait timed out. The last two are kept for later calls of a resume URL.
 */
export type RunWaitState = 'armed' | 'delivered' | 'consumed' | 'closed';

/** The event that a step of a run waits for. */
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

  /** Only events about this contact end the wait; empty accepts events about any contact. */
  @Column('text', { default: '' })
  contactId: string;

  /** A Liquid condition on the event. `bindings` has the values of the run that it reads, from the begin of the wait. */
  @Column('text', { nullable: true })
  condition: string | null;

  @Column('json', { nullable: true })
  bindings: object | null;

  /** The run whose end the step waits for. */
  @Column('text', { nullable: true })
  childRunId: string | null;

  @Column('json', { nullable: true })
  payload: object | null;

  /** The error of the condition. */
  @Column('text', { nullable: true })
  error: string | null;

  @Column('timestamptz', { nullable: true })
  armedAt: Date | null;

  /** The id and the snapshot of the transaction in which the wait began. */
  @Column('text', { nullable: true })
  armedXid: string | null;

  @Column('text', { nullable: true })
  armedSnapshot: string | null;
}

/** An event that is not yet delivered to all runs that wait for it. */
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

  /** The last wait that the event was compared with. */
  @Column('text', { default: '' })
  afterRunId: string;

  @Column('text', { default: '' })
  afterStepId: string;

  /** When a worker may claim the event; while it is claimed, the end of the lease. */
  @Column('timestamptz', { default: () => 'now()' })
  availableAt: Date;

  @Column('integer', { default: 0 })
  epoch: number;
}
