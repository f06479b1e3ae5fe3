import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ChangeFeed, resourceChange } from '../changes/change-feed.js';
import { HandoversService } from '../channels/handovers.service.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { AppError, assertFound } from '../errors/app-error.js';
import { DomainEvents } from '../events/domain-events.js';
import { newId } from '../text/ids.js';
import { messageEvent } from './message-events.js';
import type { Message, MessageStatus } from './message.entity.js';
import type {
  BounceType,
  DeliveryOutcome,
  RecordMessageInput,
  ReportDeliveryInput,
} from './message.inputs.js';
import { MessagesRepository } from './messages.repository.js';
import { ProviderReportsRepository } from './provider-reports.repository.js';
import { SuppressionsService } from './suppressions.service.js';

const MOST_ID_BYTES = 998;
/** Matches the id of a sent message, as `msg_…` or as its Message-ID header. */
const MESSAGE_ID = /^<?(msg_[0-9A-Za-z]+)(?:@[^<>\s]*)?>?$/;
const LONGEST_REASON = 500;

/**
 * Records inbound messages and delivery reports of providers. The caller of each method must have opened a transaction
 * of the organization. Workflows that an event triggers start in the same transaction.
 */
@Injectable()
export class ProviderReportsService {
  constructor(
    private readonly repository: MessagesRepository,
    private readonly contacts: ContactsService,
    private readonly changes: ChangeFeed,
    private readonly events: DomainEvents,
    private readonly handovers: HandoversService,
    private readonly reports: ProviderReportsRepository,
    private readonly suppressions: SuppressionsService,
  ) {}

  /**
   * Records an inbound message once, even if its provider reports it again. `runId` names the run whose step reports
   * it. Throws `not_found` for an unknown contact.
   */
  async receive(
    organizationId: string,
    input: RecordMessageInput,
    runId: string | undefined,
  ): Promise<{ message: Message; created: boolean }> {
    this.handovers.assertChannel(input.channel);
    const { channel, contact_id, email, phone } = input;
    const externalId = indexable(input.external_id);
    const message = await this.reports.insertInbound(organizationId, {
      id: newId('msg'),
      contactId: await this.contacts.keepBy(organizationId, { contact_id, email, phone }),
      channel,
      recipient: input.to ?? null,
      subject: input.subject ?? null,
      body: input.body,
      externalId: externalId ?? null,
      runId: runId ?? null,
    });
    if (!message) {
      const first = await this.reports.findByExternalId(organizationId, channel, externalId!);
      return { message: first!, created: false };
    }
    this.changes.publish(organizationId, resourceChange('messages', message.id));
    await this.events.emit(organizationId, messageEvent('message.received', message));
    return { message, created: true };
  }

  /**
   * Records a delivery report of a sent message, which is found by its id or by the id that the provider gave it.
   * The report also settles a message whose outcome was uncertain. The status can change from sent to delivered or
   * failed, and from delivered to failed. So reports may come late, twice and in any order. Throws `not_found`, and
   * `conflict` for a message that was not sent.
   */
  async report(
    organizationId: string,
    { message_id: messageId, outcome, bounce_type: bounceType, reason }: ReportDeliveryInput,
  ): Promise<{ message: Message; changed: boolean }> {
    const message = await this.findReported(organizationId, messageId);
    const { id } = message;
    assertSent(message);
    await this.suppress(message, outcome, bounceType);
    // A contact can complain only about a message that arrived.
    const isDelivered = outcome === 'delivered' || outcome === 'complained';
    const status = isDelivered ? 'delivered' : 'failed';
    if (['failed', 'canceled', 'suppressed', status].includes(message.status))
      return { message, changed: false };
    const reported = await this.repository.settle(organizationId, id, {
      status,
      reason: status === 'failed' ? describeFailure(outcome, reason) : null,
      code: status === 'failed' ? (outcome === 'bounced' ? 'bounced' : 'undelivered') : null,
    });
    this.changes.publish(organizationId, resourceChange('messages', id));
    // The report can arrive before the worker has recorded `sent`. Then the worker loses its lease, and message.sent
    // must be emitted here.
    if (status === 'delivered' && message.sentAt === null) {
      await this.events.emit(organizationId, messageEvent('message.sent', reported));
    }
    await this.events.emit(organizationId, messageEvent(`message.${status}`, reported));
    return { message: reported, changed: true };
  }

  /** Finds a message that a report names, and locks it. Throws `not_found`. */
  private async findReported(organizationId: string, given: string): Promise<Message> {
    const id = MESSAGE_ID.exec(given)?.[1] ?? given;
    const found =
      (await this.repository.findForUpdate(organizationId, id)) ??
      (await this.reports.findByProviderMessageId(organizationId, given));
    return assertFound(found, 'message');
  }

  /** Suppresses the address after a complaint or a hard bounce, even when the message had ended before the report. */
  private async suppress(
    message: Message,
    outcome: DeliveryOutcome,
    bounceType: BounceType,
  ): Promise<void> {
    if (outcome === 'complained') await this.suppressions.addRecipient(message, 'complaint');
    if (outcome === 'bounced' && bounceType === 'hard') {
      await this.suppressions.addRecipient(message, 'bounce');
    }
  }
}

/** The statuses that a message can have before its first attempt. */
const UNSENT: ReadonlySet<MessageStatus> = new Set([
  'scheduled',
  'queued',
  'held',
  'canceled',
  'suppressed',
  'failed',
]);

/**
 * Throws `conflict` for a message that was never handed to a provider. Without this check, a report about a message
 * that was canceled before its first attempt would suppress an address that got no message.
 */
function assertSent({ status, direction, attempts }: Message): void {
  const isUnsent = UNSENT.has(status) && attempts === 0;
  if (direction === 'outbound' && !isUnsent) return;
  const fault = isUnsent ? 'was not sent' : 'is inbound';
  throw new AppError('conflict', `This message ${fault}. Report only messages that were sent.`);
}

/** Describes a failure. The provider's reason is untrusted text: it becomes one line without control characters. */
function describeFailure(outcome: DeliveryOutcome, reason: string | undefined): string {
  const what = outcome === 'bounced' ? 'bounced' : 'could not be delivered';
  const text = reason
    ?.replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_REASON)
    .toWellFormed();
  return text
    ? `The provider reported that the message ${what}: ${text}`
    : `The provider reported that the message ${what}.`;
}

/**
 * Replaces a long id with its hash. A Message-ID is chosen by the sender of an e-mail, and PostgreSQL refuses texts of
 * more than 2,704 bytes in an index. Without this, a sender could make the step that records the message fail.
 */
function indexable(externalId: string | undefined): string | undefined {
  if (externalId === undefined || Buffer.byteLength(externalId) <= MOST_ID_BYTES) return externalId;
  return `sha256:${createHash('sha256').update(externalId).digest('hex')}`;
}
