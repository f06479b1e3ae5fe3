import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Stores an API key of an organization by its hash. The raw key is never stored. */
@Entity('api_keys')
@Index('api_keys_one_active', ['organizationId'], { unique: true, where: 'revoked_at is null' })
export class ApiKey {
  @PrimaryColumn('text', { name: 'organization_id', primaryKeyConstraintName: 'api_keys_pkey' })
  organizationId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'api_keys_pkey' })
  id: string;

  /** SHA-256 of the raw key. */
  @Index('api_keys_hash_key', { unique: true })
  @Column('bytea')
  hash: Buffer;

  @Column('text')
  prefix: string;

  @Column('text', { name: 'last_four' })
  lastFour: string;

  @Column('text', { name: 'created_by', nullable: true })
  createdBy: string | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt: Date | null;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt: Date | null;
}
