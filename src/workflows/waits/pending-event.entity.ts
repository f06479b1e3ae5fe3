import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { EventName } from '../../events/domain-event.js';

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
