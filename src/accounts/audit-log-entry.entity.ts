import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow } from '../database/organization-row.js';

/** Records one change, or one refused or failed call, and its author. Rows are never updated. */
@Entity('audit_log')
export class AuditLogEntry extends OrganizationRow {
  @PrimaryColumn('timestamptz', { precision: 3, default: () => 'now()' })
  at: Date;

  @PrimaryColumn('bigint', { generated: 'identity', generatedIdentity: 'ALWAYS' })
  id: string;

  @Column('text')
  actorKind: string;

  @Column('text')
  actorId: string;

  @Column('text')
  action: string;

  @Column('text', { nullable: true })
  subject: string | null;

  /** `ok`, or the code of the error. */
  @Column('text', { default: 'ok' })
  outcome: string;

  @Column('bytea', { nullable: true })
  argumentsDigest: Buffer | null;

  @Column('integer', { nullable: true })
  durationMs: number | null;

  @Column('text', { nullable: true })
  address: string | null;

  @Column('text', { nullable: true })
  requestId: string | null;

  @Column('text', { nullable: true })
  client: string | null;

  /** The number of refused and failed calls in this second that have no entry, because there were too many calls. */
  @Column('integer', { default: 0 })
  unlogged: number;
}
