import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A call with an idempotency key, and its result. */
@Entity('idempotency_keys')
export class IdempotencyKey {
  @PrimaryColumn('text')
  organizationId: string;

  @PrimaryColumn('text')
  tool: string;

  @PrimaryColumn('text')
  key: string;

  @Column('bytea')
  fingerprint: Buffer;

  @Column('json', { nullable: true })
  result: object | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
