import { Injectable } from '@nestjs/common';
import { ChangeFeed, resourceChange } from '../changes/change-feed.js';
import { HandoversService } from '../channels/handovers.service.js';
import type { UncertainPolicy } from '../channels/channel.decorator.js';
import { type ContactKey, ContactsService } from '../contacts/contacts.service.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError, assertFound } from '../errors/app-error.js';
import { pageOf, readTimeCursor, timeCursor } from '../paging/paging.js';
import { WakeUps } from '../queue/wake-ups.js';
import { newId } from '../text/ids.js';
import { isDenied, spoken } from './message-channels.js';
import {
  type ContentTarget,
  type GivenContent,
  type MessageContent,
  MessageContentService,
} from './message-content.service.js';
import type { Message, MessageStatus } from './message.entity.js';
import type { MessageEvent } from './message-event.entity.js';
import { type MessageFilter, MessagesRepository } from './messages.repository.js';

/** Messages are counted up to this number, so that a count takes a limited time. */
const MOST_COUNTED = 10_000;
/**
 * The largest number of events of a message that are read. A message has far fewer: six attempts, a schedule and an
 * outcome.
 */
const MOST_EVENTS = 100;

/**
 * A message to send. Without `on_uncertain`, the default of the channel applies. Without `channel`, the message is an
 * e-mail.
 */
export interface MessageRequest extends GivenContent {
  /** The id of the message. The default is a new id. */
  id?: string;
  to: ContactKey;
  channel?: string;
  /** The topic, which contacts can leave. A message without a topic is transactional. */
  topic?: string;
  onUncertain?: UncertainPolicy;
  variables?: object;
  scheduledAt?: Date;
  idempotencyKey?: string;
  runId?: string;
}

/** The contact, the channel and the address of a message. */
export interface MessageTarget extends ContentTarget {
  readonly channel: string;
  readonly recipient: string;
}

/**
 * Manages the messages of organizations. The caller of each method must have opened a transaction of the organization.
 */
@Injectable()
export class MessagesService {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly contacts: ContactsService,
    private readonly contents: MessageContentService,
    private readonly tenants: TenantDatabase,
    private readonly wakeUps: WakeUps,
    private readonly changes: ChangeFeed,
    private readonly handovers: HandoversService,
  ) {}

  /**
   * Queues a message to a contact. A worker delivers it after the commit. Throws `not_found` for an unknown contact or
   * topic, and `conflict` when the channel has no provider. Throws `invalid_arguments` for an unknown channel, a
   * contact without its address, and content that the channel refuses. Throws `no_consent` when the contact has denied
   * consent.
   */
  async send(organizationId: string, request: MessageRequest): Promise<Message> {
    const prepare = async () => {
      // The look-ups of the contact and of the template version share a round trip to the database.
      const [target, pinned] = await Promise.all([
        this.findTarget(organizationId, request),
        this.contents.pin(organizationId, request),
      ]);
      return { target, content: await this.compose(target, pinned, request.variables) };
    };
    // Attached files are locked, which a READ ONLY transaction may not do.
    const readOnly = (request.attachments ?? []).length === 0;
    const { target, content } = await this.tenants.transaction(organizationId, prepare, {
      readOnly,
    });
    return await this.store(organizationId, request, target, content);
  }

  /**
   * Finds the contact, the channel and the address of a message. Throws the same errors as {@link send} about the
   * contact and the channel. When the contact does not exist, the fault names the argument of the contact.
   */
  async findTarget(organizationId: string, request: MessageRequest): Promise<MessageTarget> {
    const { channel = 'email', id = newId('msg'), topic } = request;
    const { options } = this.handovers.channel(channel);
    const contact = await this.contacts
      .getBy(organizationId, request.to)
      .catch((error: unknown) => throwAtRecipient(error, request.to));
    const recipient = await this.handovers.addressOf(organizationId, channel, contact);
    if (isDenied(contact.consent, channel)) {
      throw new AppError('no_consent', `This contact has denied consent to ${spoken(options)}.`);
    }
    return { organizationId, id, channel, contact, recipient, topic };
  }

  /**
   * Returns the content as it is sent. With variables, its parts are templates. Throws `invalid_arguments`, and
   * `not_found` for an unknown topic.
   */
  async compose(
    target: MessageTarget,
    given: GivenContent,
    variables: object | undefined,
  ): Promise<MessageContent> {
    const { channel } = target;
    const { options } = this.handovers.channel(channel);
    const content = await this.contents.compose(target, options, given, variables);
    const faults = this.handovers.checkContent(channel, content);
    if (faults.length > 0) {
      throw AppError.invalid(`${faults[0]!.path} ${faults[0]!.message}.`, faults);
    }
    return content;
  }

  /**
   * Stores a message, which a worker delivers after the commit. A message with the status `held` waits until its digest
   * sets the time.
   */
  async store(
    organizationId: string,
    request: MessageRequest,
    { id, channel, contact, recipient, topic }: MessageTarget,
    content: MessageContent,
    status?: 'held',
  ): Promise<Message> {
    const scheduledAt = request.scheduledAt ?? null;
    const message = await this.messages.insert(organizationId, {
      id,
      contactId: contact.id,
      channel,
      recipient,
      ...content,
      topic: topic ?? null,
      status:
        status ?? (scheduledAt && scheduledAt.getTime() > Date.now() ? 'scheduled' : 'queued'),
      idempotencyKey: request.idempotencyKey ?? null,
      runId: request.runId ?? null,
      scheduledAt,
      onUncertain: request.onUncertain ?? null,
    });
    this.tenants.afterCommit(() => this.start(message));
    this.publish(organizationId, message.id);
    return message;
  }

  /** Starts the delivery in this process if it has a free slot, and otherwise wakes a worker. */
  private start({ id, organizationId, status, scheduledAt }: Message): void {
    const slot = status === 'queued' ? this.wakeUps.reserve('message', organizationId) : undefined;
    if (slot) slot.start(id);
    else this.wakeUps.wake('message', id, scheduledAt ?? undefined, organizationId);
  }

  /** Notifies clients, after the commit, that a message has changed. */
  publish(organizationId: string, id: string): void {
    this.changes.publish(organizationId, resourceChange('messages', id));
  }

  /** Returns a message. Throws `not_found` when the organization has no such message. */
  async get(organizationId: string, id: string): Promise<Message> {
    return assertFound(await this.messages.find(organizationId, id), 'message');
  }

  /**
   * Returns the id of the contact that has the address of the message now, as its own address or as an alias. Returns
   * undefined when no contact has it, or when the message was deleted.
   */
  findHolder(organizationId: string, id: string): Promise<string | undefined> {
    return this.messages.findHolder(organizationId, id);
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

  /**
   * Returns the statuses that a message had, oldest first. Throws `not_found` when the organization has no such
   * message.
   */
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
}

/**
 * Throws the error. A `not_found` error gets a fault that names the argument of the contact, so that forms show it at
 * the field.
 */
function throwAtRecipient(error: unknown, to: ContactKey): never {
  if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
  const [path] = Object.entries(to).find(([, value]) => value !== undefined) ?? [''];
  const details = [{ path, message: 'belongs to no contact' }];
  throw new AppError('not_found', error.message, { details, cause: error });
}
