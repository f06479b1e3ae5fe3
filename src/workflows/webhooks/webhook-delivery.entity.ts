import { Column, Entity } from 'typeorm';
import { OrganizationRowWithId } from '../../database/organization-row.js';
import type { SignatureMistake } from './signatures/signature-mistake.js';

export type DeliveryKind = 'accepted' | 'refused' | 'test';

/** Stores a request to a webhook address and its response. The newest deliveries of each kind are kept. */
@Entity('webhook_deliveries')
export class WebhookDelivery extends OrganizationRowWithId {
  @Column('text')
  workflowId: string;

  @Column('text')
  kind: DeliveryKind;

  @Column('timestamptz')
  receivedAt: Date;

  @Column('integer')
  status: number;

  /** The result: `accepted`, `duplicate`, `skipped`, `challenge`, `recorded`, `inactive`, or the code of the error. */
  @Column('text')
  code: string;

  @Column('text', { nullable: true })
  runId: string | null;

  /** Selected headers, without signatures and secrets. */
  @Column('json')
  headers: Record<string, string>;

  /** The size of the body. Null when the body was not read. */
  @Column('integer', { nullable: true })
  bodyBytes: number | null;

  /** The SHA-256 of the body. */
  @Column('bytea', { nullable: true })
  bodyHash: Buffer | null;

  /** The body. It is stored only for small test deliveries. */
  @Column('bytea', { nullable: true })
  body: Buffer | null;

  /** True when the signature was valid, or none was needed. */
  @Column('boolean', { default: false })
  verified: boolean;

  @Column('json', { default: () => `'[]'` })
  mistakes: SignatureMistake[];
}
