import { Column, Entity } from 'typeorm';
import { OrganizationRowWithId } from '../database/organization-row.js';

/** Stores a piece of text that templates include by its name. */
@Entity('template_snippets')
export class Snippet extends OrganizationRowWithId {
  @Column('text')
  name: string;

  @Column('text')
  content: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
