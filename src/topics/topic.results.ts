import { PageResult } from '../paging/paging.js';
import { Choice, Flag, ListOf, Nested, Text, Timestamp } from '../tools/schema/fields.js';
import { CONSENT_KINDS, type ConsentChange, type ConsentKind } from './consent-change.entity.js';
import { TOPIC_DEFAULTS, type TopicDefault } from './topic.inputs.js';
import {
  type Evidence,
  SUBSCRIPTION_STATES,
  type SubscriptionState,
} from './topic-subscription.entity.js';
import type { StoredSubscription } from './decision.js';
import type { Topic } from './topic.entity.js';

export class TopicView {
  @Text()
  name: string;

  @Text()
  title: string;

  @Text({ nullable: true })
  description: string | null;

  @Choice(TOPIC_DEFAULTS)
  default: TopicDefault;

  @Flag()
  double_opt_in: boolean;

  @Timestamp()
  created_at: string;

  @Timestamp()
  updated_at: string;

  static of(topic: Topic): TopicView {
    const { name, title, description, optedIn, doubleOptIn, createdAt, updatedAt } = topic;
    return {
      name,
      title,
      description,
      default: optedIn ? 'opted_in' : 'opted_out',
      double_opt_in: doubleOptIn,
      created_at: createdAt.toISOString(),
      updated_at: updatedAt.toISOString(),
    };
  }
}

export class TopicResult {
  @Nested(() => TopicView)
  topic: TopicView;
}

export class TopicList {
  @ListOf(() => TopicView)
  topics: TopicView[];
}

export class DeletedTopic {
  @Text()
  deleted: string;
}

export class SubscriptionView {
  @Text()
  topic: string;

  @Text()
  title: string;

  @Choice(SUBSCRIPTION_STATES)
  state: SubscriptionState;

  @Text('Where the decision came from; null when the default of the topic decides.', {
    nullable: true,
  })
  source: string | null;

  @Timestamp({ nullable: true })
  changed_at: string | null;

  static of({ topic, title, state, source, changedAt }: StoredSubscription): SubscriptionView {
    return { topic, title, state, source, changed_at: changedAt?.toISOString() ?? null };
  }
}

export class SubscriptionList {
  @ListOf(() => SubscriptionView)
  subscriptions: SubscriptionView[];
}

class EvidenceView {
  @Text({ optional: true })
  ip?: string;

  @Text({ optional: true })
  user_agent?: string;

  @Text({ optional: true })
  text?: string;

  @Text({ optional: true })
  message_id?: string;
}

export class ConsentChangeView {
  @Choice(CONSENT_KINDS)
  kind: ConsentKind;

  @Text('Name of the channel or topic.')
  name: string;

  @Text('State before; null when nothing was decided.', { nullable: true })
  from: string | null;

  @Text({ nullable: true })
  to: string | null;

  @Text('Surface, import, link, keyword or merge that made the change.')
  source: string;

  @Nested(() => EvidenceView, { nullable: true })
  evidence: Evidence | null;

  @Timestamp()
  at: string;

  static of(change: ConsentChange): ConsentChangeView {
    const { kind, name, fromState, toState, source, evidence, at } = change;
    return { kind, name, from: fromState, to: toState, source, evidence, at: at.toISOString() };
  }
}

export class ConsentChangePage extends PageResult {
  @ListOf(() => ConsentChangeView)
  changes: ConsentChangeView[];
}
