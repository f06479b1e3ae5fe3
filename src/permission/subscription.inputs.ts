import { Doc } from '../tools/schema/doc.decorator.js';
import { Flag, Nested, Text } from '../tools/schema/fields.js';

class EvidenceInput {
  @Text('What the person wrote, said or saw.', { optional: true, max: 1000 })
  text?: string;

  @Text('IP address of the person.', { optional: true, max: 64 })
  ip?: string;

  @Text("User-Agent of the person's browser.", { optional: true, max: 1000 })
  user_agent?: string;
}

export class SetTopicSubscriptionInput {
  @Text({ min: 1, max: 64 })
  contact_id: string;

  @Doc('Name of the topic.', { examples: ['news'] })
  @Text({ min: 1, max: 64 })
  topic: string;

  @Flag('Whether the contact gets the messages of the topic.')
  subscribed: boolean;

  @Nested(() => EvidenceInput, 'What proves the decision. It is kept in the log of consent.', {
    optional: true,
  })
  evidence?: EvidenceInput;
}
