import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Stores a possible sale to a contact. */
@Entity('deals')
@Index('deals_organization_id_created_at_idx', ['organizationId', 'createdAt', 'id'])
export class Deal {
  @PrimaryColumn('text', { name: 'organization_id', primaryKeyConstraintName: 'deals_pkey' })
  organizationId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'deals_pkey' })
  id: string;

  @Column('text')
  title: string;

  /** The amount is in whole euros. */
  @Column('integer')
  amount: number;

  @Column('text', { name: 'contact_id', nullable: true })
  contactId: string | null;

  // Times have milliseconds, like a JavaScript Date. With microseconds, a cursor made from a Date would skip or repeat
  // deals.
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
