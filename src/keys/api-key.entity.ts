import { Column, Entity } from 'typeorm';
import { OrganizationRowWithId } from '../database/organization-row.js';

/** Stores an API key of an organization by its hash. The raw key is never stored. */
@Entity('api_keys')
export class ApiKey extends OrganizationRowWithId {
  /** Contains the SHA-256 of the raw key. */
  @Column('bytea')
  hash: Buffer;

  @Column('text')
  prefix: string;

  @Column('text')
  lastFour: string;

  @Column('text', { nullable: true })
  createdBy: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  revokedAt: Date | null;
}
