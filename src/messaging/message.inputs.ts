import { IsIn, IsObject, IsOptional, IsString, Length, MaxLength } from 'class-validator';
import { PageInput } from '../paging/paging.js';
import { Doc } from '../tools/schema/doc.decorator.js';
import {
  MESSAGE_CHANNELS,
  MESSAGE_STATUSES,
  type MessageChannel,
  type MessageStatus,
} from './message.entity.js';

export class ListMessagesInput extends PageInput {
  @Doc('Only messages to or from this contact.')
  @IsOptional()
  @IsString()
  @Length(1, 64)
  contact_id?: string;

  @Doc('Only messages with this status.')
  @IsOptional()
  @IsIn(MESSAGE_STATUSES)
  status?: MessageStatus;

  @Doc('Only messages that this run sent.')
  @IsOptional()
  @IsString()
  @Length(1, 64)
  run_id?: string;
}

export class MessageIdInput {
  @Doc('Id of the message.')
  @IsString()
  @Length(1, 64)
  message_id: string;
}

/** The contact that a message is for or from. */
class AddresseeInput {
  @Doc('Id of the contact. Exactly one of contact_id, email and phone is required.')
  @IsOptional()
  @IsString()
  @Length(1, 64)
  contact_id?: string;

  @Doc('E-mail address of an existing contact, in any case.')
  @IsOptional()
  @IsString()
  @Length(1, 254)
  email?: string;

  @Doc('Phone number of an existing contact in international form, such as +4930123456.')
  @IsOptional()
  @IsString()
  @Length(1, 40)
  phone?: string;
}

export class SendMessageInput extends AddresseeInput {
  @Doc('Only email is supported yet.')
  @IsIn(MESSAGE_CHANNELS)
  channel: MessageChannel = 'email';

  @Doc('Subject line; required for email. One line of at most 500 characters.')
  @IsOptional()
  @IsString()
  @MaxLength(262_144)
  subject?: string;

  @Doc('The message in plain text, at most 256 KiB. Required.')
  @IsOptional()
  @IsString()
  @MaxLength(262_144)
  body?: string;

  @Doc('Not supported yet. Give body instead.')
  @IsOptional()
  @IsString()
  @Length(1, 64)
  template_id?: string;

  @Doc(
    'When given, even if empty, subject and body are Liquid templates over these values and the contact: ' +
      '"Hello {{ contact.first_name }}, your code is {{ code }}". When absent, both are literal.',
    { examples: [{ code: '1234' }] },
  )
  @IsOptional()
  @IsObject()
  variables?: object;

  @Doc(
    'When to send it: RFC 3339 with a time zone, at most one year ahead. Absent or past: immediately.',
    { examples: ['2030-01-31T09:00:00Z'] },
  )
  @IsOptional()
  @IsString()
  @MaxLength(64)
  scheduled_at?: string;

  @Doc(
    'Your key for this message: a repeated call with the same key returns the first message. Use one whenever you ' +
      'may retry.',
  )
  @IsOptional()
  @IsString()
  @Length(1, 255)
  idempotency_key?: string;
}

export class RecordMessageInput extends AddresseeInput {
  @Doc('Channel by which it arrived.')
  @IsIn(MESSAGE_CHANNELS)
  channel: MessageChannel = 'email';

  @Doc('Your address that received it.')
  @IsOptional()
  @IsString()
  @Length(1, 254)
  to?: string;

  @Doc('Subject line.')
  @IsOptional()
  @IsString()
  @MaxLength(2000)
  subject?: string;

  @Doc('The message in plain text, at most 256 KiB.')
  @IsString()
  @MaxLength(262_144)
  body: string;

  @Doc(
    "The provider's id of the message. A message with the same id and channel is recorded once: a repeated call " +
      'returns the first one. Use it whenever the provider may repeat its webhook.',
    { examples: ['SM5f2c1b'] },
  )
  @IsOptional()
  @IsString()
  @Length(1, 998)
  external_id?: string;
}

export const DELIVERY_OUTCOMES = ['delivered', 'bounced', 'failed'] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

export class ReportDeliveryInput {
  @Doc('Id of the message, msg_…, or its Message-ID header, <msg_…@your.domain>.')
  @IsString()
  @Length(1, 998)
  message_id: string;

  @Doc('Result of the delivery. bounced and failed both set the status failed.')
  @IsIn(DELIVERY_OUTCOMES)
  outcome: DeliveryOutcome;

  @Doc('Why it was not delivered, in the words of the provider. The first 500 characters are kept.')
  @IsOptional()
  @IsString()
  @MaxLength(10_000)
  reason?: string;
}

export class WriteMessageInput {
  @Doc('Id or e-mail address of the contact to write to.')
  @IsString()
  @Length(1, 254)
  contact: string;

  @Doc('What the message should achieve, such as "invite to the webinar on Friday".')
  @IsString()
  @Length(1, 4000)
  goal: string;
}
