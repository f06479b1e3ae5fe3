import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow } from '../../database/organization-row.js';

/** Stores a call with an idempotency key, and its result. */
@Entity('idempotency_keys')
export class IdempotencyKey extends OrganizationRow {
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
