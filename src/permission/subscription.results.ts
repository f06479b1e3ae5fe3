import { Choice, Flag } from '../tools/schema/fields.js';
import {
  SUBSCRIPTION_STATES,
  type SubscriptionState,
} from '../topics/topic-subscription.entity.js';

export class SubscriptionResult {
  @Choice(SUBSCRIPTION_STATES)
  state: SubscriptionState;

  @Flag('False when the contact had already made this decision.')
  changed: boolean;
}
