import { Column, Entity } from 'typeorm';
import { OrganizationRowWithId } from '../../database/organization-row.js';

/**
 * The states of a confirmation. An approval is `used` when its call has begun. It is `failed` when that call failed but
 * may have had an effect.
 */
export type ConfirmationState = 'pending' | 'approved' | 'declined' | 'used' | 'failed';

/** Stores a call of an agent that a person must approve, and the answer of the person. */
@Entity('confirmations')
export class Confirmation extends OrganizationRowWithId {
  @Column('text')
  apiKeyId: string;

  @Column('text')
  tool: string;

  @Column('json')
  arguments: object;

  /** The fingerprint of `arguments`. */
  @Column('bytea')
  digest: Buffer;

  @Column('text', { default: 'pending' })
  state: ConfirmationState;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  answeredAt: Date | null;

  /** The id of the person who approved or declined. */
  @Column('text', { nullable: true })
  answeredBy: string | null;
}
