import { REASON_CODES, type ReasonCode } from '../channels/reason-code.js';
import type { Mailbox } from '../text/parse-mailbox.js';
import { hidePermissionSignatures } from '../text/permission-signature.js';
import { PageResult } from '../paging/paging.js';
import { Doc } from '../tools/schema/doc.decorator.js';
import { Choice, Flag, Integer, ListOf, Nested, Text, Timestamp } from '../tools/schema/fields.js';
import {
  MESSAGE_DIRECTIONS,
  MESSAGE_STATUSES,
  type Message,
  type MessageDirection,
  type MessageStatus,
} from './message.entity.js';
import type { MessageEvent } from './message-event.entity.js';

export class MessageView {
  @Text()
  id: string;

  @Doc('Contact that the message is for or from; null when the contact was deleted.')
  @Text({ nullable: true })
  contact_id: string | null;

  @Text()
  channel: string;

  @Choice(MESSAGE_DIRECTIONS)
  direction: MessageDirection;

  @Text({ nullable: true })
  subject: string | null;

  @Text(
    'The text as it is sent, with variables filled in. Links by which contacts decide are masked.',
  )
  body: string;

  @Flag('True if also sent as HTML.')
  has_html: boolean;

  @Text({ nullable: true })
  topic: string | null;

  @Text('Template of the message.', { nullable: true })
  template_id: string | null;

  @Integer({ nullable: true })
  template_version: number | null;

  @Text("Locale of the template's texts.", { nullable: true })
  locale: string | null;

  @Doc(
    'scheduled: waits for scheduled_at; queued: waits for delivery, or for another attempt; held: waits until held_until; sending: an attempt is ' +
      'in progress; uncertain: it may have been sent, and nobody knows (resolve_message); sent: the provider, the mail ' +
      'server or the outbox folder has it; delivered: reported by the provider; failed ' +
      'and canceled: see status_reason; received: it is inbound.',
  )
  @Choice(MESSAGE_STATUSES)
  status: MessageStatus;

  @Doc('Reason of a failure or cancellation, or the number and the error of the last attempt.')
  @Text({ nullable: true })
  status_reason: string | null;

  @Doc('The reason as a code for programs.')
  @Choice(REASON_CODES, { nullable: true })
  reason_code: ReasonCode | null;

  @Doc(
    'Address that the message is sent to. For an inbound message, the address that received it, if known.',
  )
  @Text({ nullable: true })
  to: string | null;

  @Text('Id of the channel provider that the message was handed to.', { nullable: true })
  provider_id: string | null;

  @Text("The provider's id of a sent message.", { nullable: true })
  provider_message_id: string | null;

  @Text({ nullable: true })
  idempotency_key: string | null;

  @Text('Run that sent or recorded the message.', { nullable: true })
  run_id: string | null;

  @Timestamp({ nullable: true })
  scheduled_at: string | null;

  @Doc('A held message is checked again at this time, and then sent if the rules allow it.')
  @Timestamp({ nullable: true })
  held_until: string | null;

  @Timestamp({ nullable: true })
  sent_at: string | null;

  @Timestamp()
  created_at: string;

  @Timestamp()
  updated_at: string;

  /**
   * Returns the message as readers, steps and events see it. The signatures of links for contacts are hidden, because
   * whoever has such a link can decide for the contact.
   */
  static of(message: Message): MessageView {
    return {
      id: message.id,
      contact_id: message.contactId,
      channel: message.channel,
      direction: message.direction,
      subject: message.subject && hidePermissionSignatures(message.subject),
      body: hidePermissionSignatures(message.body),
      has_html: message.hasHtml,
      topic: message.topic,
      template_id: message.templateId,
      template_version: message.templateVersion,
      locale: message.locale,
      status: message.status,
      status_reason: message.statusReason,
      reason_code: message.reasonCode,
      to: message.recipient,
      provider_id: message.providerId,
      provider_message_id: message.providerMessageId,
      idempotency_key: message.idempotencyKey,
      run_id: message.runId,
      scheduled_at: message.scheduledAt?.toISOString() ?? null,
      held_until: message.status === 'held' ? message.dueAt.toISOString() : null,
      sent_at: message.sentAt?.toISOString() ?? null,
      created_at: message.createdAt.toISOString(),
      updated_at: message.updatedAt.toISOString(),
    };
  }
}

export class MessagePage extends PageResult {
  @ListOf(() => MessageView)
  messages: MessageView[];
}

export class MessageResult {
  @Nested(() => MessageView)
  message: MessageView;
}

export class SentMessageResult extends MessageResult {
  @Integer('Number of calls that the message of a digest combines.', { optional: true })
  digest_count?: number;
}

export class MessageEventView {
  @Choice(MESSAGE_STATUSES)
  status: MessageStatus;

  @Text('Reason of a failure, of a cancellation, or of another attempt.', { nullable: true })
  reason: string | null;

  @Integer('Number of attempts that had begun.')
  attempts: number;

  @Timestamp()
  at: string;

  static of({ status, reason, attempts, at }: MessageEvent): MessageEventView {
    return { status, reason, attempts, at: at.toISOString() };
  }
}

export class MessageEventsResult {
  @ListOf(() => MessageEventView)
  events: MessageEventView[];
}

export class AttachmentView {
  @Text()
  file_id: string;

  @Text()
  name: string;

  @Text()
  content_type: string;

  @Integer('Bytes.')
  size: number;

  @Text('The HTML shows the image as cid:….', { nullable: true })
  cid: string | null;
}

/** The addresses and e-mail headers that the caller has set. */
export class MessageEnvelopeResult {
  @Text('Null is the sender of the installation.', { nullable: true })
  from: string | null;

  @Text({ nullable: true })
  reply_to: string | null;

  @ListOf(() => AttachmentView)
  attachments: AttachmentView[];

  static of({ envelope }: Message): MessageEnvelopeResult {
    const { from, replyTo, attachments = [] } = envelope ?? {};
    return {
      from: from ? formatMailbox(from) : null,
      reply_to: replyTo ? formatMailbox(replyTo) : null,
      attachments: attachments.map(({ fileId, name, contentType, size, cid }) => ({
        file_id: fileId,
        name,
        content_type: contentType,
        size,
        cid: cid ?? null,
      })),
    };
  }
}

function formatMailbox({ name, address }: Mailbox): string {
  return name === '' ? address : `${name} <${address}>`;
}

export class StatusCount {
  @Choice(MESSAGE_STATUSES)
  status: MessageStatus;

  @Integer()
  count: number;
}

export class MessageCountsResult {
  @Doc('Statuses that occur, in the order in which messages get them.')
  @ListOf(() => StatusCount)
  counts: StatusCount[];

  @Integer('Number of messages that were counted.')
  counted: number;

  @Flag('False if there are older messages, which were not counted.')
  is_complete: boolean;
}

export class RecordedMessageResult extends MessageResult {
  @Flag('False if the message was already recorded.')
  created: boolean;
}

export class ReportedDeliveryResult extends MessageResult {
  @Flag('False if this or a later status was already recorded.')
  changed: boolean;
}
