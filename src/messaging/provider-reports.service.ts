import { Injectable } from '@nestjs/common';
import { ChangeFeed, resourceChange } from '../changes/change-feed.js';
import { AppError } from '../errors/app-error.js';
import { DomainEvents } from '../events/domain-events.js';
import { newId } from '../text/ids.js';
import { messageEvent } from './message-events.js';
import type { MessageChannel } from './message-status.js';
import type { Message } from './message.entity.js';
import { MessagesRepository } from './messages.repository.js';
import { type Addressee, MessagesService } from './messages.service.js';

/** A message of ours, as `msg_…` or as the Message-ID that it was sent with. */
const MESSAGE_ID = /^<?(msg_[0-9A-Za-z]+)(?:@[^<>\s]*)?>?$/;
const LONGEST_REASON = 500;

export interface ReceivedMessage {
  from: Addressee;
  channel: MessageChannel;
  to?: string;
  subject?: string;
  body: string;
  /** What the provider calls it. */
  externalId?: string;
  /** The run whose step tells of it. */
  runId?: string;
}

export interface DeliveryReport {
  /** `msg_…`, or the Message-ID. */
  messageId: string;
  outcome: 'delivered' | 'bounced' | 'failed';
  reason?: string;
}

/**
 * Takes down what the providers of channels tell: messages that came in, and what became of those that were sent.
 * Every method runs in a transaction of the organization that its caller has opened, in which workflows that wait for
 * such an event are started.
 */
@Injectable()
export class ProviderReports {
  constructor(
    private readonly repository: MessagesRepository,
    private readonly messages: MessagesService,
    private readonly changes: ChangeFeed,
    private readonly events: DomainEvents,
  ) {}

  /** Records a message of a contact once, however often it is told of. Throws `not_found` for an unknown contact. */
  async receive(
    organizationId: string,
    received: ReceivedMessage,
  ): Promise<{ message: Message; created: boolean }> {
    const { channel, externalId } = received;
    const contact = await this.messages.addressed(organizationId, received.from);
    const message = await this.repository.insertInbound(organizationId, {
      id: newId('msg'),
      contactId: contact.id,
      channel,
      recipient: received.to ?? null,
      subject: received.subject ?? null,
      body: received.body,
      externalId: externalId ?? null,
      runId: received.runId ?? null,
    });
    if (!message) {
      const first = await this.repository.findByExternalId(organizationId, channel, externalId!);
      return { message: first!, created: false };
    }
    this.changes.publish(organizationId, resourceChange('messages', message.id));
    await this.events.emit(organizationId, messageEvent('message.received', message));
    return { message, created: true };
  }

  /**
   * Notes what became of a message that was sent. What is noted only ever moves from sent to delivered to failed, so
   * reports may come late, twice and in any order. Throws `not_found`, and `conflict` for a message that nobody has
   * handed over.
   */
  async report(
    organizationId: string,
    { messageId, outcome, reason }: DeliveryReport,
  ): Promise<{ message: Message; changed: boolean }> {
    const id = MESSAGE_ID.exec(messageId)?.[1] ?? messageId;
    const message = await this.repository.findForUpdate(organizationId, id);
    if (!message) throw AppError.notFound('message');
    const status = outcome === 'delivered' ? 'delivered' : 'failed';
    if (!isNews(message, status)) return { message, changed: false };
    const text = status === 'failed' ? failure(outcome, reason) : null;
    const reported = await this.repository.report(organizationId, id, status, text);
    this.changes.publish(organizationId, resourceChange('messages', id));
    // The provider can be faster than the worker that has just handed the message over, and then speaks for it.
    if (status === 'delivered' && message.sentAt === null) {
      await this.events.emit(organizationId, messageEvent('message.sent', reported));
    }
    await this.events.emit(organizationId, messageEvent(`message.${status}`, reported));
    return { message: reported, changed: true };
  }
}

function isNews(
  { status, direction, attempts }: Message,
  reported: 'delivered' | 'failed',
): boolean {
  if (direction === 'inbound') throw unsent('came in');
  if (status === 'scheduled' || (status === 'queued' && attempts === 0))
    throw unsent('was not sent yet');
  if (status === 'failed' || status === 'canceled') return false;
  return status !== reported;
}

function unsent(why: string): AppError {
  return new AppError('conflict', `This message ${why}: nothing can be reported of it.`);
}

/** What providers say is foreign text: one line of it, without control characters. */
function failure(outcome: DeliveryReport['outcome'], reason: string | undefined): string {
  const what = outcome === 'bounced' ? 'bounced' : 'could not be delivered';
  const said = reason
    ?.replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_REASON)
    .toWellFormed();
  return said
    ? `The provider reported that it ${what}: ${said}`
    : `The provider reported that it ${what}.`;
}
