import { Injectable, Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChangeFeed, resourceChange } from '../changes/change-feed.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { toError } from '../errors/app-error.js';
import { DomainEvents } from '../events/domain-events.js';
import { Failpoints } from '../failpoints/failpoints.js';
import type { Claim } from '../queue/leased-work.js';
import { type Delivery, EmailChannel } from '../mail/email-channel.js';
import { messageEvent } from './message-events.js';
import type { Message } from './message.entity.js';
import { MessagesRepository, type Outcome } from './messages.repository.js';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** Lists the seconds before the second attempt, the third attempt, and so on. */
const PAUSES_SECONDS = [30, 2 * MINUTE, 10 * MINUTE, HOUR, 4 * HOUR];
const MOST_ATTEMPTS = PAUSES_SECONDS.length + 1;
const RECORD_RETRY_MS = 1000;

/**
 * Delivers claimed messages: counts the attempt, sends the e-mail, records the outcome. No transaction is open while it
 * waits for the mail server. After a crash the e-mail is sent again with the same Message-ID.
 */
@Injectable()
export class MessageDeliveryService {
  private readonly logger = new Logger(MessageDeliveryService.name);

  constructor(
    private readonly messages: MessagesRepository,
    private readonly contacts: ContactsService,
    private readonly tenants: TenantDatabase,
    private readonly email: EmailChannel,
    private readonly changes: ChangeFeed,
    private readonly events: DomainEvents,
    private readonly failpoints: Failpoints,
  ) {}

  async deliver(claim: Claim, signal: AbortSignal): Promise<void> {
    const message = await this.beginAttempt(claim);
    if (!message || signal.aborted) return;
    const delivery = await this.email.deliver(
      {
        id: message.id,
        // Only inbound messages can lack a recipient.
        to: message.recipient!,
        subject: message.subject ?? '',
        text: message.body,
        date: message.createdAt,
      },
      signal,
    );
    await this.failpoints.reach('after outside call, before journal', message.id);
    // The result of an aborted attempt is unknown. The next worker that claims the message tries again.
    if (signal.aborted && delivery.outcome !== 'sent') return;
    await this.recordOutcome(claim, toOutcome(delivery, message.attempts + 1), signal);
  }

  /** Marks the message as being sent and returns it. Returns undefined when it must no longer be sent. */
  private beginAttempt({ organizationId, id, epoch }: Claim): Promise<Message | undefined> {
    return this.tenants.transaction(organizationId, async () => {
      const message = await this.messages.findForUpdate(organizationId, id);
      if (message?.epoch !== epoch) return undefined;
      if (!['scheduled', 'queued', 'sending'].includes(message.status)) return undefined;
      this.changes.publish(organizationId, resourceChange('messages', id));
      const obstacle = await this.findObstacle(message);
      if (obstacle) {
        await this.emitMessageEvent(await this.messages.settle(organizationId, id, obstacle));
        return undefined;
      }
      this.messages.beginAttempt(organizationId, id, epoch);
      return message;
    });
  }

  /** Returns the final outcome of an accepted message that must no longer be sent. */
  private async findObstacle(message: Message): Promise<Outcome | undefined> {
    if (message.attempts >= MOST_ATTEMPTS) {
      return {
        status: 'failed',
        reason: `Stopped after ${message.attempts} attempts without a result.`,
      };
    }
    const { organizationId, contactId } = message;
    const contact = contactId === null ? null : await this.contacts.find(organizationId, contactId);
    if (!contact) return { status: 'canceled', reason: 'The contact was deleted.' };
    if (contact.consent.email?.status === 'denied') {
      return { status: 'canceled', reason: 'The contact has since denied consent to e-mail.' };
    }
    return undefined;
  }

  /** Retries until the lease ends, because an outcome that is not recorded makes another worker send the message again. */
  private async recordOutcome(claim: Claim, outcome: Outcome, signal: AbortSignal): Promise<void> {
    const { organizationId, id, epoch } = claim;
    for (;;) {
      try {
        const recorded = await this.tenants.transaction(organizationId, async () => {
          this.changes.publish(organizationId, resourceChange('messages', id));
          const message = await this.messages.recordOutcome(organizationId, id, epoch, outcome);
          if (message) await this.emitMessageEvent(message);
          return message !== undefined;
        });
        if (!recorded)
          this.logger.warn(
            `The outcome of ${id} was not recorded: its lease had ended, and another worker may send it again.`,
          );
        return;
      } catch (error) {
        if (signal.aborted) throw error;
        this.logger.warn(
          `The outcome of ${id} could not be recorded and will be retried: ${toError(error).message}`,
        );
        await sleep(RECORD_RETRY_MS);
      }
    }
  }

  private async emitMessageEvent(message: Message): Promise<void> {
    if (message.status !== 'sent' && message.status !== 'failed') return;
    const event = messageEvent(`message.${message.status}`, message);
    await this.events.emit(message.organizationId, event);
  }
}

function toOutcome(delivery: Delivery, attempt: number): Outcome {
  if (delivery.outcome === 'sent') return { status: 'sent', reason: null };
  if (delivery.outcome === 'refused') return { status: 'failed', reason: delivery.reason };
  // `unknown` is retried like `failed`. The Message-ID stays the same, so mail servers can recognize the duplicate.
  const retryInSeconds = PAUSES_SECONDS[attempt - 1];
  const reason = `Attempt ${attempt} of ${MOST_ATTEMPTS}: ${delivery.reason}`;
  return retryInSeconds === undefined
    ? { status: 'failed', reason }
    : { status: 'queued', reason, retryInSeconds };
}
