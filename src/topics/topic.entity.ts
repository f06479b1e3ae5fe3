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

  /** True when contacts without a decision get the messages of the topic. */
  @Column('boolean')
  optedIn: boolean;

  /** True when a contact must confirm a subscription with the link in an e-mail. */
  @Column('boolean', { default: false })
  doubleOptIn: boolean;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
