import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow } from '../database/organization-row.js';

/** Records one change and its author. Rows are never updated. */
@Entity('audit_log')
export class AuditLogEntry extends OrganizationRow {
  @PrimaryColumn('bigint', { generated: 'identity', generatedIdentity: 'ALWAYS' })
  id: string;

  @Column('timestamptz', { default: () => 'now()' })
  at: Date;

  @Column('text')
  actorKind: string;

  @Column('text')
  actorId: string;

  @Column('text')
  action: string;

  @Column('text', { nullable: true })
  subject: string | null;
}
