import { Column, Entity } from 'typeorm';
import { OrganizationRowWithId } from '../database/organization-row.js';

export const SEGMENT_KINDS = ['dynamic', 'static'] as const;
export type SegmentKind = (typeof SEGMENT_KINDS)[number];

/** Stores a segment of contacts, and the progress of its comparison with all contacts. */
@Entity('segments')
export class Segment extends OrganizationRowWithId {
  @Column('text')
  name: string;

  @Column('text', { nullable: true })
  description: string | null;

  @Column('text')
  kind: SegmentKind;

  /**
   * The conditions, as `search_contacts` takes them, but with the ids of other segments instead of their names. A
   * static segment has no conditions.
   */
  @Column('json', { nullable: true })
  filters: object[] | null;

  /** The ids of the segments that the filters name. */
  @Column('text', { array: true, default: () => `'{}'` })
  uses: string[];

  /** True if contacts can begin or stop matching without a write: by time alone, or because of a message or a run. */
  @Column('boolean', { default: false })
  timed: boolean;

  /** True until every contact was compared once since the filters were saved. */
  @Column('boolean')
  baseline: boolean;

  /** The time from which every contact is compared. Null means that only changed contacts are compared. */
  @Column('timestamptz', { nullable: true })
  sweepAt: Date | null;

  /** The id up to which contacts have been compared. */
  @Column('text', { default: '' })
  position: string;

  @Column('integer', { default: 0 })
  sweepMs: number;

  /** The id of a transaction. The first comparison waits until all transactions with smaller ids have ended. */
  @Column('text', { nullable: true })
  barrier: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  evaluatedAt: Date | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
