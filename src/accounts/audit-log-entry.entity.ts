import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Records one change and its author. Rows are never updated. */
@Entity('audit_log')
export class AuditLogEntry {
  @PrimaryColumn('text', { name: 'organization_id', primaryKeyConstraintName: 'audit_log_pkey' })
  organizationId: string;

  @PrimaryColumn('bigint', {
    primaryKeyConstraintName: 'audit_log_pkey',
    generated: 'identity',
    generatedIdentity: 'ALWAYS',
  })
  id: string;

  @Column('timestamptz', { default: () => 'now()' })
  at: Date;

  @Column('text', { name: 'actor_kind' })
  actorKind: string;

  @Column('text', { name: 'actor_id' })
  actorId: string;

  @Column('text')
  action: string;

  @Column('text', { nullable: true })
  subject: string | null;
}
