import { Column, Entity } from 'typeorm';
import { OrganizationRowWithId } from '../database/organization-row.js';

/** Stores an event that was emitted, with the numbers of runs that it started and continued. */
@Entity('custom_events')
export class CustomEvent extends OrganizationRowWithId {
  @Column('text')
  name: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  emittedAt: Date;

  @Column('text', { nullable: true })
  contactId: string | null;

  /** The run that emitted the event, if a run did. */
  @Column('text', { nullable: true })
  runId: string | null;

  @Column('integer')
  dataBytes: number;

  @Column('text')
  dataPreview: string;

  @Column('integer')
  startedRuns: number;

  @Column('integer', { default: 0 })
  continuedRuns: number;
}
