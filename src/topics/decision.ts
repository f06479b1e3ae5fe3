import type { Evidence, SubscriptionState } from './topic-subscription.entity.js';

/** The choice of a contact, or the default of the topic when the contact made no choice. */
export interface StoredSubscription {
  topic: string;
  title: string;
  description: string | null;
  doubleOptIn: boolean;
  state: SubscriptionState;
  /** True if no e-mail with a link that confirms the subscription was sent to the current address of the contact. */
  isUnasked: boolean;
  /** The source of the decision. Null when the default of the topic decides; then `changedAt` is null too. */
  source: string | null;
  changedAt: Date | null;
}

export interface Decision {
  contactId: string;
  topic: string;
  state: SubscriptionState;
  source: string;
  evidence: Evidence | null;
  /** The message that asks for a confirmation, and its address. Null when no confirmation is needed. */
  confirmation: { readonly id: string; readonly address: string | null } | null;
}
