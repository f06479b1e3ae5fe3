import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Stores a purchase order, which can belong to a contact. */
@Entity('purchase_orders')
@Index('purchase_orders_organization_id_created_at_idx', ['organizationId', 'createdAt', 'id'])
export class PurchaseOrder {
  @PrimaryColumn('text', {
    name: 'organization_id',
    primaryKeyConstraintName: 'purchase_orders_pkey',
  })
  organizationId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'purchase_orders_pkey' })
  id: string;

  @Column('text')
  title: string;

  /** The amount is in whole euros. */
  @Column('integer')
  amount: number;

  @Column('text', { name: 'contact_id', nullable: true })
  contactId: string | null;

  // Times have milliseconds, like a JavaScript Date. With microseconds, a cursor made from a Date would skip or repeat
  // purchase orders.
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
