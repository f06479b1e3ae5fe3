import { Injectable } from '@nestjs/common';
import { ChangeFeed, resourceChange } from '../changes/change-feed.js';
import { HandoversService } from '../channels/handovers.service.js';
import type { UncertainPolicy } from '../channels/channel.decorator.js';
import { ContactView } from '../contacts/contact.results.js';
import { type ContactKey, ContactsService } from '../contacts/contacts.service.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError, assertFound } from '../errors/app-error.js';
import { LiquidSandbox } from '../liquid/liquid-sandbox.js';
import { pageOf, readTimeCursor, timeCursor } from '../paging/paging.js';
import { WakeUps } from '../queue/wake-ups.js';
import { newId } from '../text/ids.js';
import { assertSubject, isDenied, spoken } from './message-channels.js';
import type { Message, MessageStatus } from './message.entity.js';
import type { MessageEvent } from './message-event.entity.js';
import { type MessageFilter, MessagesRepository } from './messages.repository.js';

const LONGEST_SUBJECT = 500;
const LONGEST_BODY_BYTES = 256 * 1024;
/** Bounds the time of a count, however many messages there are. */
const MOST_COUNTED = 10_000;
/** A message has far fewer: six attempts, a schedule and an outcome. */
const MOST_EVENTS = 100;

interface MessageContent {
  subject?: string;
  body: string;
}

/** Describes a message to send. `on_uncertain` and `channel` have the defaults of the channel and e-mail. */
export interface MessageRequest {
  to: ContactKey;
  channel?: string;
  /** Is required by channels with a subject, and refused by the others. */
  subject?: string;
  body: string;
  onUncertain?: UncertainPolicy;
  variables?: object;
  scheduledAt?: Date;
  idempotencyKey?: string;
  runId?: string;
}

/** Manages the messages of organizations. The caller of each method must have opened a transaction of the organization. */
@Injectable()
export class MessagesService {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly contacts: ContactsService,
    private readonly liquid: LiquidSandbox,
    private readonly tenants: TenantDatabase,
    private readonly wakeUps: WakeUps,
    private readonly changes: ChangeFeed,
    private readonly handovers: HandoversService,
  ) {}

  /**
   * Queues a message to a contact. A worker delivers it after the commit. Throws `not_found` for an unknown contact,
   * `invalid_arguments` for an unknown channel, a contact without its address and content that it refuses, `conflict`
   * when the channel has no provider, and `no_consent` when the contact has denied consent.
   */
  async send(organizationId: string, request: MessageRequest): Promise<Message> {
    const { channel = 'email', variables } = request;
    const { options } = this.handovers.channel(channel);
    const contact = await this.contacts.getBy(organizationId, request.to);
    const recipient = await this.handovers.addressOf(organizationId, channel, contact);
    if (isDenied(contact.consent, channel)) {
      throw new AppError('no_consent', `This contact has denied consent to ${spoken(options)}.`);
    }
    const scope = variables && { ...variables, contact: ContactView.of(contact) };
    assertSubject(options, request.subject);
    const content = await renderContent(organizationId, request, scope, this.liquid);
    const faults = this.handovers.checkContent(channel, {
      subject: content.subject ?? null,
      body: content.body,
    });
    if (faults.length > 0) {
      throw AppError.invalid(`${faults[0]!.path} ${faults[0]!.message}.`, faults);
    }
    const scheduledAt = request.scheduledAt ?? null;
    const message = await this.messages.insert(organizationId, {
      id: newId('msg'),
      contactId: contact.id,
      channel,
      recipient,
      subject: content.subject ?? null,
      body: content.body,
      status: scheduledAt && scheduledAt.getTime() > Date.now() ? 'scheduled' : 'queued',
      idempotencyKey: request.idempotencyKey ?? null,
      runId: request.runId ?? null,
      scheduledAt,
      onUncertain: request.onUncertain ?? null,
    });
    this.tenants.afterCommit(() =>
      this.wakeUps.wake('message', message.id, scheduledAt ?? undefined),
    );
    this.changes.publish(organizationId, resourceChange('messages', message.id));
    return message;
  }

  /** Throws `not_found` when the organization has no such message. */
  async get(organizationId: string, id: string): Promise<Message> {
    return assertFound(await this.messages.find(organizationId, id), 'message');
  }

  /** Returns one page, newest first, and the cursor of the next page, or null on the last page. */
  async list(
    organizationId: string,
    filter: MessageFilter,
    page: { limit: number; cursor: string | undefined },
  ): Promise<{ messages: Message[]; nextCursor: string | null }> {
    this.handovers.assertChannel(filter.channel);
    const position = readTimeCursor(page.cursor);
    const rows = await this.messages.list(organizationId, filter, position, page.limit + 1);
    const { page: messages, nextCursor } = pageOf(
      rows,
      page.limit,
      timeCursor,
      ({ body }) => body.length,
    );
    return { messages, nextCursor };
  }

  /** Counts the newest 10,000 messages that match, by status. */
  async count(
    organizationId: string,
    filter: MessageFilter,
  ): Promise<{
    counts: { status: MessageStatus; count: number }[];
    counted: number;
    is_complete: boolean;
  }> {
    this.handovers.assertChannel(filter.channel);
    const counts = await this.messages.count(organizationId, filter, MOST_COUNTED);
    const counted = counts.reduce((sum, { count }) => sum + count, 0);
    return { counts, counted, is_complete: counted < MOST_COUNTED };
  }

  /** Returns the statuses that a message had, oldest first. Throws `not_found` when the organization has no such message. */
  async listEvents(organizationId: string, id: string): Promise<MessageEvent[]> {
    await this.get(organizationId, id);
    return await this.messages.listEvents(organizationId, id, MOST_EVENTS);
  }

  /** Returns the newest messages to a contact, newest first, however long they are. */
  listNewest(organizationId: string, contactId: string, limit: number): Promise<Message[]> {
    return this.messages.list(organizationId, { contactId }, undefined, limit);
  }

  /** Returns at most `limit` ids that start with `text` among the newest 1000 messages, newest first. */
  listIdsStartingWith(organizationId: string, text: string, limit: number): Promise<string[]> {
    return this.messages.listIdsStartingWith(organizationId, text, limit);
  }

  /** Cancels a message before it is sent. Throws `not_found`, and `conflict` when sending has begun or ended. */
  async cancel(organizationId: string, id: string, by: string): Promise<Message> {
    const found = await this.messages.findForUpdate(organizationId, id);
    const message = assertFound(found, 'message');
    if (message.status === 'canceled') return message;
    if (message.status !== 'scheduled' && message.status !== 'queued') {
      throw new AppError(
        'conflict',
        `This message is ${message.status}. Only scheduled and queued messages can be canceled.`,
      );
    }
    this.changes.publish(organizationId, resourceChange('messages', id));
    return await this.messages.settle(organizationId, id, {
      status: 'canceled',
      reason: `Canceled by ${by}.`,
      code: 'canceled',
    });
  }
}

/**
 * Returns subject and body as they are sent. With a scope both are Liquid templates. Without a scope they are literal,
 * so text of strangers is never executed. Throws `invalid_arguments`.
 */
async function renderContent(
  organizationId: string,
  given: MessageContent,
  scope: object | undefined,
  liquid: LiquidSandbox,
): Promise<MessageContent> {
  const { subject, body } = scope
    ? {
        subject:
          given.subject === undefined
            ? undefined
            : await liquid.render(organizationId, given.subject, scope),
        body: await liquid.render(organizationId, given.body, scope),
      }
    : given;
  const fault = subject === undefined ? undefined : subjectFault(subject);
  if (fault) throw AppError.invalidField('subject', fault);
  if (body.trim() === '') throw AppError.invalidField('body', 'must not be empty');
  // Validated arguments contain no U+0000, but a template can produce it: {{ '%00' | url_decode }}.
  if (body.includes('\0')) {
    throw AppError.invalidField('body', 'must not contain the character U+0000');
  }
  if (Buffer.byteLength(body) > LONGEST_BODY_BYTES) {
    throw AppError.invalidField('body', `must have at most ${LONGEST_BODY_BYTES / 1024} KiB`);
  }
  return { subject, body };
}

function subjectFault(subject: string): string | undefined {
  if (subject.trim() === '') return 'must not be empty';
  // A line break would end the header, and the rest of the subject would become another header.
  if (/[\p{Cc}\u2028\u2029]/u.test(subject)) {
    return 'must not contain line breaks or control characters';
  }
  // Such a mark makes mail programs show the subject, and what stands after it, in another order.
  if (/[\u202a-\u202e\u2066-\u2069]/u.test(subject)) {
    return 'must not contain marks that change the direction of text, such as U+202E';
  }
  return subject.length > LONGEST_SUBJECT
    ? `must have at most ${LONGEST_SUBJECT} characters`
    : undefined;
}
