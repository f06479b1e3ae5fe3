import { Doc } from '../tools/schema/doc.decorator.js';
import { Text } from '../tools/schema/fields.js';

export class ExplainSendInput {
  @Doc('A message that exists. Otherwise exactly one of contact_id, email and phone is required.')
  @Text({ optional: true, min: 1, max: 64 })
  message_id?: string;

  @Text('Contact that a message would be sent to.', { optional: true, min: 1, max: 64 })
  contact_id?: string;

  @Text({ optional: true, min: 1, max: 254 })
  email?: string;

  @Text({ optional: true, min: 1, max: 40 })
  phone?: string;

  @Text('Channel of the message.')
  channel: string = 'email';

  @Text('Topic of the message. Omit if transactional.', { optional: true, min: 1, max: 64 })
  topic?: string;
}
