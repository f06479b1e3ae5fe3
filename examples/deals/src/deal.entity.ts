import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Something that a customer may buy. */
@Entity('deals')
@Index('deals_organization_id_created_at_idx', ['organizationId', 'createdAt', 'id'])
export class Deal {
  @PrimaryColumn('text', { name: 'organization_id', primaryKeyConstraintName: 'deals_pkey' })
  organizationId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'deals_pkey' })
  id: string;

  @Column('text')
  title: string;

  /** In whole euros. */
  @Column('integer')
  amount: number;

  @Column('text', { name: 'contact_id', nullable: true })
  contactId: string | null;

  // Milliseconds, as JavaScript counts: a cursor made from a finer time would skip or repeat deals.
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
