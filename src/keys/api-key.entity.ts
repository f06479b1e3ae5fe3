import { Column, Entity } from 'typeorm';
import { OrganizationRowWithId } from '../database/organization-row.js';

/** Stores an API key of an organization by its hash. The raw key is never stored. */
@Entity('api_keys')
export class ApiKey extends OrganizationRowWithId {
  /** The SHA-256 of the raw key. */
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

  /** The time from which the key is refused. When null, the key does not expire. */
  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  @Column('boolean', { default: false })
  readOnly: boolean;

  /** The tools that the key may call. When null, it may call every tool. */
  @Column('text', { array: true, nullable: true })
  tools: string[] | null;

  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;

  @Column('text', { nullable: true })
  lastUsedAddress: string | null;

  /** The User-Agent of the last use. */
  @Column('text', { nullable: true })
  lastUsedAgent: string | null;

  /** The name and version that the MCP client gave, if requests with the same User-Agent named them. */
  @Column('text', { nullable: true })
  lastUsedClient: string | null;

  @Column('timestamptz', { nullable: true })
  revokedAt: Date | null;
}
