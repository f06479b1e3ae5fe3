import { PageInput } from '../paging/paging.js';
import { Doc } from '../tools/schema/doc.decorator.js';
import { Choice, Flag, Text } from '../tools/schema/fields.js';

export const TOPIC_DEFAULTS = ['opted_in', 'opted_out'] as const;
export type TopicDefault = (typeof TOPIC_DEFAULTS)[number];

export class TopicNameInput {
  @Doc('Name of the topic.', { examples: ['news'] })
  @Text({ min: 1, max: 64 })
  name: string;
}

export class CreateTopicInput extends TopicNameInput {
  @Text('Title as people read it, in one line.', { min: 1, max: 200 })
  title: string;

  @Text('Text for people: what they get.', { optional: true, max: 1000 })
  description?: string;

  @Doc('Whether contacts without a decision get messages.')
  @Choice(TOPIC_DEFAULTS)
  default: TopicDefault = 'opted_out';

  @Flag('When true, a contact that subscribes must confirm with the link in an e-mail.')
  double_opt_in: boolean = false;
}

/** Declares the fields of `update_topic`. An absent field stays unchanged. */
export class UpdateTopicInput extends TopicNameInput {
  @Text({ optional: true, min: 1, max: 200 })
  title?: string;

  @Text({ optional: true, nullable: true, max: 1000 })
  description?: string | null;

  @Choice(TOPIC_DEFAULTS, { optional: true })
  default?: TopicDefault;

  @Flag({ optional: true })
  double_opt_in?: boolean;
}

/** Declares no arguments, because an organization has at most 100 topics. */
export class ListTopicsInput {}

export class ContactTopicsInput {
  @Text({ min: 1, max: 64 })
  contact_id: string;
}

export class ListConsentChangesInput extends PageInput {
  @Text({ min: 1, max: 64 })
  contact_id: string;
}
