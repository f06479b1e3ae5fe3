import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow } from '../database/organization-row.js';

/** Records one call. Rows are written in batches, by the service only. */
@Entity('call_log')
export class CallLogRow extends OrganizationRow {
  @PrimaryColumn('timestamptz', { precision: 3 })
  at: Date;

  @PrimaryColumn('bigint', { generated: 'identity', generatedIdentity: 'ALWAYS' })
  id: string;

  @Column('text')
  callerKind: string;

  @Column('text')
  callerId: string;

  /** Null in a row that only counts calls. These calls have no rows of their own. */
  @Column('text', { nullable: true })
  tool: string | null;

  @Column('text')
  outcome: string;

  @Column('text', { nullable: true })
  error: string | null;

  @Column('integer')
  durationMs: number;

  @Column('text', { nullable: true })
  requestId: string | null;

  @Column('text', { nullable: true })
  client: string | null;

  @Column('integer', { default: 0 })
  unlogged: number;
}
