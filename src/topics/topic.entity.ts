import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow } from '../database/organization-row.js';

/** Stores a topic of messages, which contacts can leave. */
@Entity('topics')
export class Topic extends OrganizationRow {
  /** The name of the topic in messages, links and decisions. It never changes. */
  @PrimaryColumn('text')
  name: string;

  @Column('text')
  title: string;

  @Column('text', { nullable: true })
  description: string | null;

  /** When true, contacts that decided nothing get its messages. */
  @Column('boolean')
  optedIn: boolean;

  /** When true, a contact that subscribes must confirm it with the link in an e-mail. */
  @Column('boolean', { default: false })
  doubleOptIn: boolean;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
