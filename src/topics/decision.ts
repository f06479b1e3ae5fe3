import type { Evidence, SubscriptionState } from './topic-subscription.entity.js';

/** Is what a contact decided, or what the default of the topic decides for it. */
export interface StoredSubscription {
  topic: string;
  title: string;
  description: string | null;
  doubleOptIn: boolean;
  state: SubscriptionState;
  /** Is null when the default of the topic decides, as is `changedAt`. */
  source: string | null;
  changedAt: Date | null;
}

export interface Decision {
  contactId: string;
  topic: string;
  state: SubscriptionState;
  source: string;
  evidence: Evidence | null;
  confirmationId: string | null;
}
