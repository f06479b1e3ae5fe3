import { Column, Entity } from 'typeorm';
import { OrganizationRowWithId } from '../database/organization-row.js';
import type { TemplateContent } from './template-content.js';

/** Stores a template with its draft. */
@Entity('templates')
export class Template extends OrganizationRowWithId {
  @Column('text')
  name: string;

  @Column('text', { nullable: true })
  description: string | null;

  @Column('json')
  draft: TemplateContent;

  /** The number of changes of the draft. */
  @Column('integer', { default: 1 })
  draftVersion: number;

  /** The version from which the draft was restored. Null after a change of the draft. */
  @Column('integer', { nullable: true })
  restoredFrom: number | null;

  /** The newest published version. Null before the first version is published. */
  @Column('integer', { nullable: true })
  version: number | null;

  /** The id of the newest published version. */
  @Column('text', { nullable: true })
  versionId: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
