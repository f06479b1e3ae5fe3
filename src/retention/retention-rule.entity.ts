import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What is kept for a number of days only, where its organization says so. */
export const RETENTION_KINDS = ['runs', 'messages', 'webhook_deliveries', 'audit_log'] as const;

export type RetentionKind = (typeof RETENTION_KINDS)[number];

/** For how many days an organization keeps rows of one kind. Without a rule they are kept for ever. */
@Entity('retention_rules')
export class RetentionRule {
  @PrimaryColumn('text', {
    name: 'organization_id',
    primaryKeyConstraintName: 'retention_rules_pkey',
  })
  organizationId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'retention_rules_pkey' })
  kind: RetentionKind;

  @Column('integer')
  days: number;

  /** When a worker may purge: the next time, or the end of the lease of the worker that does. */
  @Index('retention_rules_due_idx')
  @Column('timestamptz', { name: 'available_at', default: () => 'now()' })
  availableAt: Date;

  @Column('integer', { default: 0 })
  epoch: number;
}
