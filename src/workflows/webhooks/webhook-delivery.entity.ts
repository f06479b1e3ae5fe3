import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { SignatureMistake } from './signatures/signature-mistake.js';

export type DeliveryKind = 'accepted' | 'refused' | 'test';

/** A request to a webhook address and its answer. The newest deliveries of each kind are kept. */
@Entity('webhook_deliveries')
@Index('webhook_deliveries_newest_idx', [
  'organizationId',
  'workflowId',
  'kind',
  'receivedAt',
  'id',
])
export class WebhookDelivery {
  @PrimaryColumn('text', {
    name: 'organization_id',
    primaryKeyConstraintName: 'webhook_deliveries_pkey',
  })
  organizationId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'webhook_deliveries_pkey' })
  id: string;

  @Column('text', { name: 'workflow_id' })
  workflowId: string;

  @Column('text')
  kind: DeliveryKind;

  @Column('timestamptz', { name: 'received_at' })
  receivedAt: Date;

  /** HTTP status of the answer. */
  @Column('integer')
  status: number;

  /** `accepted`, `duplicate`, `skipped`, `recorded`, `inactive`, or the code of the error. */
  @Column('text')
  code: string;

  @Column('text', { name: 'run_id', nullable: true })
  runId: string | null;

  /** Selected headers, without signatures and secrets. */
  @Column('json')
  headers: Record<string, string>;

  /** Null when the body was not read. */
  @Column('integer', { name: 'body_bytes', nullable: true })
  bodyBytes: number | null;

  /** SHA-256. */
  @Column('bytea', { name: 'body_hash', nullable: true })
  bodyHash: Buffer | null;

  /** Stored for small test deliveries only. */
  @Column('bytea', { nullable: true })
  body: Buffer | null;

  @Column('json', { default: () => `'[]'` })
  mistakes: SignatureMistake[];
}
