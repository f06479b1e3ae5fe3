import { Column, Entity } from 'typeorm';
import { OrganizationRowWithId } from '../../database/organization-row.js';
import type { SignatureMistake } from './signatures/signature-mistake.js';

export type DeliveryKind = 'accepted' | 'refused' | 'test';

/** A request to a webhook address and its answer. The newest deliveries of each kind are kept. */
@Entity('webhook_deliveries')
export class WebhookDelivery extends OrganizationRowWithId {
  @Column('text')
  workflowId: string;

  @Column('text')
  kind: DeliveryKind;

  @Column('timestamptz')
  receivedAt: Date;

  /** HTTP status of the answer. */
  @Column('integer')
  status: number;

  /** `accepted`, `duplicate`, `skipped`, `recorded`, `inactive`, or the code of the error. */
  @Column('text')
  code: string;

  @Column('text', { nullable: true })
  runId: string | null;

  /** Selected headers, without signatures and secrets. */
  @Column('json')
  headers: Record<string, string>;

  /** Null when the body was not read. */
  @Column('integer', { nullable: true })
  bodyBytes: number | null;

  /** SHA-256. */
  @Column('bytea', { nullable: true })
  bodyHash: Buffer | null;

  /** Stored for small test deliveries only. */
  @Column('bytea', { nullable: true })
  body: Buffer | null;

  @Column('json', { default: () => `'[]'` })
  mistakes: SignatureMistake[];
}
