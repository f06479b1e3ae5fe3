import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow } from '../database/organization-row.js';

/** The kinds of rows for which an organization can limit the retention. */
export const RETENTION_KINDS = ['runs', 'messages', 'webhook_deliveries', 'audit_log'] as const;

export type RetentionKind = (typeof RETENTION_KINDS)[number];

/**
 * Stores the number of days for which an organization keeps rows of one kind. Without a rule, the rows are kept
 * forever.
 */
@Entity('retention_rules')
export class RetentionRule extends OrganizationRow {
  @PrimaryColumn('text')
  kind: RetentionKind;

  @Column('integer')
  days: number;

  /** The time from which a worker may purge. During a purge, this is the end of the lease of its worker. */
  @Column('timestamptz', { default: () => 'now()' })
  availableAt: Date;

  @Column('integer', { default: 0 })
  epoch: number;
}
