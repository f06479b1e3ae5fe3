import { Type } from 'class-transformer';
import { IsArray, IsBoolean, IsIn, IsString, ValidateNested } from 'class-validator';
import { PageResult } from '../paging/paging.js';
import { Doc, Nullable } from '../tools/schema/doc.decorator.js';
import {
  MESSAGE_CHANNELS,
  MESSAGE_DIRECTIONS,
  MESSAGE_STATUSES,
  type Message,
  type MessageChannel,
  type MessageDirection,
  type MessageStatus,
} from './message.entity.js';

/** A message as callers see it. */
export class MessageView {
  @IsString()
  id: string;

  @Doc('Contact that the message is for or from; null when the contact was deleted.')
  @Nullable()
  @IsString()
  contact_id: string | null;

  @IsIn(MESSAGE_CHANNELS)
  channel: MessageChannel;

  @IsIn(MESSAGE_DIRECTIONS)
  direction: MessageDirection;

  @Nullable()
  @IsString()
  subject: string | null;

  @Doc('The text as it is sent, with variables filled in.')
  @IsString()
  body: string;

  @Doc(
    'scheduled: waits for scheduled_at; queued: waits for delivery, or for another attempt; sending: an attempt is ' +
      'in progress; sent: the mail server, or the outbox folder, has it; delivered: the provider reported so; failed ' +
      'and canceled: see status_reason; received: it is inbound.',
  )
  @IsIn(MESSAGE_STATUSES)
  status: MessageStatus;

  @Doc('Why it failed or was canceled, or the number and the error of the last attempt.')
  @Nullable()
  @IsString()
  status_reason: string | null;

  @Doc(
    'Address that the message is sent to; for an inbound one, the address that received it, if known.',
  )
  @Nullable()
  @IsString()
  to: string | null;

  @Nullable()
  @IsString()
  idempotency_key: string | null;

  @Doc('Run that sent or recorded the message.')
  @Nullable()
  @IsString()
  run_id: string | null;

  @Doc('RFC 3339, UTC.')
  @Nullable()
  @IsString()
  scheduled_at: string | null;

  @Doc('RFC 3339, UTC.')
  @Nullable()
  @IsString()
  sent_at: string | null;

  @Doc('RFC 3339, UTC.')
  @IsString()
  created_at: string;

  @Doc('RFC 3339, UTC.')
  @IsString()
  updated_at: string;

  static of(message: Message): MessageView {
    return {
      id: message.id,
      contact_id: message.contactId,
      channel: message.channel,
      direction: message.direction,
      subject: message.subject,
      body: message.body,
      status: message.status,
      status_reason: message.statusReason,
      to: message.recipient,
      idempotency_key: message.idempotencyKey,
      run_id: message.runId,
      scheduled_at: message.scheduledAt?.toISOString() ?? null,
      sent_at: message.sentAt?.toISOString() ?? null,
      created_at: message.createdAt.toISOString(),
      updated_at: message.updatedAt.toISOString(),
    };
  }
}

export class MessagePage extends PageResult {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => MessageView)
  messages: MessageView[];
}

export class MessageResult {
  @ValidateNested()
  @Type(() => MessageView)
  message: MessageView;
}

export class RecordedMessageResult extends MessageResult {
  @Doc('False when the message had been recorded before.')
  @IsBoolean()
  created: boolean;
}

export class ReportedDeliveryResult extends MessageResult {
  @Doc('False when the report repeats the status, or a later status is already recorded.')
  @IsBoolean()
  changed: boolean;
}
