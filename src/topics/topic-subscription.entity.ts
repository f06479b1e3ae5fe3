import { Column, Entity, PrimaryColumn } from 'typeorm';
import { OrganizationRow } from '../database/organization-row.js';

/**
 * The states of a subscription. `pending` waits until the contact confirms the subscription with the link in an e-mail.
 * Messages are sent only for `subscribed`.
 */
export const SUBSCRIPTION_STATES = ['subscribed', 'pending', 'unsubscribed'] as const;
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

/** The evidence of a decision. All members are as the browser of the person or the caller sent them. */
export interface Evidence {
  ip?: string;
  user_agent?: string;
  text?: string;
  message_id?: string;
}

/** Stores the decision of a contact about a topic. Without a row, the default of the topic applies. */
@Entity('topic_subscriptions')
export class TopicSubscription extends OrganizationRow {
  @PrimaryColumn('text')
  contactId: string;

  @PrimaryColumn('text')
  topic: string;

  @Column('text')
  state: SubscriptionState;

  @Column('text')
  source: string;

  @Column('jsonb', { nullable: true })
  evidence: Evidence | null;

  /** The message whose link confirms a pending subscription. */
  @Column('text', { nullable: true })
  confirmationId: string | null;

  /**
   * The address to which the confirmation was sent. A subscription with such an address does not count for e-mails to
   * other addresses, because their owners have confirmed nothing.
   */
  @Column('text', { nullable: true })
  confirmationAddress: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  changedAt: Date;
}
