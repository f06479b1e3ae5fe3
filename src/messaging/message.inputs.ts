import { Doc } from '../tools/schema/doc.decorator.js';
import { Choice, Integer, JsonObject, ListOf, Nested, Text } from '../tools/schema/fields.js';
import { UNCERTAIN_POLICIES, type UncertainPolicy } from '../channels/channel.decorator.js';
import { MESSAGE_STATUSES } from './message.entity.js';

/**
 * A status, or a group of statuses: `pending` means scheduled, queued, held and sending, and `undelivered` means
 * failed, canceled and suppressed.
 */
export const MESSAGE_STATUS_FILTERS = [...MESSAGE_STATUSES, 'pending', 'undelivered'] as const;

export type MessageStatusFilter = (typeof MESSAGE_STATUS_FILTERS)[number];

/** The filter of messages. A message must meet all given members. */
export class MessageFilterInput {
  @Text({ optional: true, min: 1, max: 64 })
  contact_id?: string;

  @Choice(MESSAGE_STATUS_FILTERS, { optional: true })
  status?: MessageStatusFilter;

  @Text({ optional: true })
  channel?: string;

  @Text({ optional: true, min: 1, max: 64 })
  run_id?: string;

  @Text('RFC 3339.', { optional: true, max: 64 })
  created_after?: string;

  @Text({ optional: true, max: 64 })
  created_before?: string;
}

export class ListMessagesInput extends MessageFilterInput {
  @Integer({ min: 1, max: 100 })
  limit: number = 20;

  @Text('next_cursor of the previous page.', { optional: true, max: 1024 })
  cursor?: string;
}

export class MessageIdInput {
  @Text({ min: 1, max: 64 })
  message_id: string;
}

/** Declares the contact that a message is for or from. */
class AddresseeInput {
  @Doc('Id of the contact. Exactly one of contact_id, email and phone is required.')
  @Text({ optional: true, min: 1, max: 64 })
  contact_id?: string;

  @Text('E-mail of an existing contact. Ignores case.', { optional: true, min: 1, max: 254 })
  email?: string;

  @Doc('Phone number of an existing contact in international form, such as +4930123456.')
  @Text({ optional: true, min: 1, max: 40 })
  phone?: string;
}

/** Declares which calls of `send_message` become one message. */
export class DigestInput {
  @Text({ min: 1, max: 128 })
  key: string;

  @Integer({ min: 1, max: 604_800 })
  window_seconds: number;

  @Integer({ min: 1, max: 100 })
  max_items: number = 100;
}

/** A file that was stored by POST /api/files or by a step. */
export class AttachmentInput {
  @Text({ min: 1, max: 64 })
  file_id: string;

  @Text({ optional: true })
  name?: string;

  @Text({ optional: true })
  cid?: string;
}

export class SendMessageInput extends AddresseeInput {
  @Text('email, sms or webhook.')
  channel: string = 'email';

  @Doc('Required for email. One line.')
  @Text({ optional: true, max: 262_144 })
  subject?: string;

  @Text('Plain text. Required without html.', {
    optional: true,
    max: 262_144,
  })
  body?: string;

  @Text('HTML of an email.', {
    optional: true,
    max: 512_000,
  })
  html?: string;

  @Text({ optional: true })
  from?: string;

  @Text({ optional: true })
  reply_to?: string;

  @Text('Id of the message.', { optional: true })
  in_reply_to?: string;

  @ListOf(() => AttachmentInput, { optional: true })
  attachments?: AttachmentInput[];

  @Text('Omit if transactional.', { optional: true, min: 1, max: 64 })
  topic?: string;

  @Text('Id or name of a template, instead of subject, body and html.', {
    optional: true,
    min: 1,
    max: 100,
  })
  template_id?: string;

  @Doc(
    'If given (even if empty), subject, body and html are Liquid over these values and the contact: ' +
      '"Hello {{ contact.first_name }}". When absent, they are literal.',
    { examples: [{ code: '1234' }] },
  )
  @JsonObject({ optional: true })
  variables?: object;

  @Doc('RFC 3339 with a time zone, at most one year ahead. Absent or past: immediately.', {
    examples: ['2030-01-31T09:00:00Z'],
  })
  @Text({ optional: true, max: 64 })
  scheduled_at?: string;

  @Doc('A repeated call with the same key returns the first message.')
  @Text({ optional: true, min: 1, max: 255 })
  idempotency_key?: string;

  @Doc(
    'Joins calls with the same contact, channel, topic and key into one message. {{ digest.items }} lists them.',
  )
  @Nested(() => DigestInput, { optional: true })
  digest?: DigestInput;

  @Choice(UNCERTAIN_POLICIES, { optional: true })
  on_uncertain?: UncertainPolicy;
}

export class RecordMessageInput extends AddresseeInput {
  @Text('Channel of the message.', { max: 64 })
  channel: string = 'email';

  @Text('Your receiving address.', { optional: true, min: 1, max: 254 })
  to?: string;

  @Text('Subject line.', { optional: true, max: 2000 })
  subject?: string;

  @Text('The message in plain text, at most 256 KiB.', { max: 262_144 })
  body: string;

  @Doc(
    `The provider's id of the message. A message with the same id and channel is recorded once: a repeated ` +
      'call returns the first message. Use it whenever the provider may repeat its webhook.',
    { examples: ['SM5f2c1b'] },
  )
  @Text({ optional: true, min: 1, max: 998 })
  external_id?: string;
}

export const DELIVERY_OUTCOMES = ['delivered', 'bounced', 'complained', 'failed'] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

export const BOUNCE_TYPES = ['hard', 'soft'] as const;
export type BounceType = (typeof BOUNCE_TYPES)[number];

export class ReportDeliveryInput {
  @Doc(
    'Id of the message, msg_…, its Message-ID header, <msg_…@your.domain>, or its id at the provider.',
  )
  @Text({ min: 1, max: 998 })
  message_id: string;

  @Doc(
    'Result of the delivery. bounced and failed both set the status failed. complained means that the message was ' +
      'delivered and the person reported it as unwanted. Then the address no longer gets messages.',
  )
  @Choice(DELIVERY_OUTCOMES)
  outcome: DeliveryOutcome;

  @Doc(
    'Kind of a bounce. After hard, the default, the address no longer gets messages. soft is a temporary reason, such ' +
      'as a full mailbox.',
  )
  @Choice(BOUNCE_TYPES)
  bounce_type: BounceType = 'hard';

  @Doc('Reason of the provider for the failed delivery. The first 500 characters are stored.')
  @Text({ optional: true, max: 10_000 })
  reason?: string;
}

export const RESOLUTIONS = ['sent', 'delivered', 'failed', 'resend'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

export class ResolveMessageInput extends MessageIdInput {
  @Doc('What happened to the message. resend sends the message again, so it may arrive twice.')
  @Choice(RESOLUTIONS)
  outcome: Resolution;

  @Text('How you know, in one line. The first 500 characters are stored.', {
    optional: true,
    max: 10_000,
  })
  reason?: string;
}

export class WriteMessageInput {
  @Text('Id or e-mail address of the contact to write to.', { min: 1, max: 254 })
  contact: string;

  @Doc('Goal of the message, such as "invite to the webinar on Friday".')
  @Text({ min: 1, max: 4000 })
  goal: string;
}
