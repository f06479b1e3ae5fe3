import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow } from '../database/organization-row.js';

/** Stores that a contact is in a segment. The rows of a dynamic segment are the result of its last comparison. */
@Entity('segment_members')
export class SegmentMember extends OrganizationRow {
  @PrimaryColumn('text')
  segmentId: string;

  @PrimaryColumn('text')
  contactId: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  enteredAt: Date;
}

/** Stores that a transaction wrote a contact. The row stays until the contact is compared with the dynamic segments. */
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
