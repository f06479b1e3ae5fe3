import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow } from '../database/organization-row.js';

/** Stores that a contact is in a segment. A row of a dynamic segment is what the last comparison found. */
@Entity('segment_members')
export class SegmentMember extends OrganizationRow {
  @PrimaryColumn('text')
  segmentId: string;

  @PrimaryColumn('text')
  contactId: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  enteredAt: Date;
}

/** Stores that a transaction wrote a contact that has not been compared with dynamic segments since. */
@Entity('segment_changes')
export class SegmentChange extends OrganizationRow {
  @PrimaryColumn('text', { default: () => '(pg_current_xact_id())::text' })
  xid: string;

  @PrimaryColumn('text')
  contactId: string;

  /** True if the write must start no workflows. */
  @Column('boolean', { default: false })
  silent: boolean;
}

/** Stores which worker compares the contacts of an organization with its segments. */
@Entity('segment_evaluations')
export class SegmentEvaluation extends OrganizationRow {
  @Column('integer', { default: 0 })
  epoch: number;

  @Column('timestamptz', { nullable: true })
  leaseUntil: Date | null;

  @Column('timestamptz', { default: () => `'epoch'` })
  claimedAt: Date;
}
