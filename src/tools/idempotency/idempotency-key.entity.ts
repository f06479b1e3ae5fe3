import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A call that carried an idempotency key, and what it answered. */
@Entity('idempotency_keys')
export class IdempotencyKey {
  @PrimaryColumn('text', {
    name: 'organization_id',
    primaryKeyConstraintName: 'idempotency_keys_pkey',
  })
  organizationId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'idempotency_keys_pkey' })
  tool: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'idempotency_keys_pkey' })
  key: string;

  @Column('bytea')
  fingerprint: Buffer;

  @Column('json', { nullable: true })
  result: object | null;

  @Index('idempotency_keys_created_at_idx')
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt: Date;
}
