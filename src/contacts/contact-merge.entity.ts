import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow } from '../database/organization-row.js';
import type { MergeUndo } from './contact-merge.js';

/**
 * Stores that a contact was merged into another contact. The id of the merged contact means the survivor from then on.
 */
@Entity('contact_merges')
export class ContactMerge extends OrganizationRow {
  @PrimaryColumn('text')
  mergedId: string;

  /** The contact that stayed at this merge. Since then, it may have been merged into another contact. */
  @Column('text')
  intoId: string;

  /** The contact that the id `mergedId` means now. */
  @Column('text')
  survivorId: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  mergedAt: Date;

  /** The data that undoes the merge. Null when the merge can no longer be undone. */
  @Column('json', { nullable: true })
  undo: MergeUndo | null;

  /** The ids of the moved rows by kind. */
  @Column('jsonb', { nullable: true, select: false })
  moved: Record<string, unknown> | null;
}
