import { Column, Entity } from 'typeorm';
import { OrganizationRowWithId } from '../database/organization-row.js';

/**
 * The reasons why an address gets no messages: the provider reported a bounce or a complaint, or a person or a step
 * suppressed the address.
 */
export const SUPPRESSION_REASONS = ['bounce', 'complaint', 'manual'] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

/** A suppressed address, which gets no messages of a channel. */
@Entity('suppressed_addresses')
export class SuppressedAddress extends OrganizationRowWithId {
  @Column('text')
  channel: string;

  /** The address in the form in which contacts store it. */
  @Column('text')
  address: string;

  @Column('text')
  reason: SuppressionReason;

  /** The message whose bounce or complaint the provider reported, if any. */
  @Column('text', { nullable: true })
  messageId: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
