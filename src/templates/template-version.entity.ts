import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Actor } from '../accounts/account.js';
import { OrganizationRow } from '../database/organization-row.js';
import type { CompiledContent, PlacedWarning, TemplateContent } from './template-content.js';

/** Stores an immutable published version of a template. */
@Entity('template_versions')
export class TemplateVersion extends OrganizationRow {
  @PrimaryColumn('text')
  templateId: string;

  @PrimaryColumn('integer')
  version: number;

  /** The id. It is unique even among versions that were rolled back, so that caches can use it as their key. */
  @Column('text')
  id: string;

  /** The texts as the author wrote them. */
  @Column('json')
  content: TemplateContent;

  /** The texts from which messages are rendered: the content with its snippets and with inlined CSS. */
  @Column('json')
  compiled: CompiledContent;

  @Column('json')
  warnings: PlacedWarning[];

  /** The number of the earlier version whose content was restored in this version, if any. */
  @Column('integer', { nullable: true })
  restoredFrom: number | null;

  @Column('text')
  actorKind: Actor['kind'];

  @Column('text')
  actorId: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
