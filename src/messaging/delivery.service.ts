import { Injectable, Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChangeFeed, resourceChange } from '../changes/change-feed.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { toError } from '../errors/app-error.js';
import { DomainEvents } from '../events/domain-events.js';
import { Failpoints } from '../failpoints/failpoints.js';
import type { Claim } from '../queue/leased-work.js';
import { type Delivery, EmailChannel } from './channels/email-channel.js';
import { messageEvent } from './message-events.js';
import type { Message } from './message.entity.js';
import { MessagesRepository, type Outcome } from './messages.repository.js';
import { MOST_ATTEMPTS, retryPause } from './retry-schedule.js';

const RECORD_RETRY_MS = 1000;

/**
 * Delivers one claimed message: notes the attempt, hands over, records the outcome. No transaction is open while it
 * waits for the mail server. A crash in between repeats the hand-over with the same Message-ID.
 */
@Injectable()
export class DeliveryService {
  private readonly logger = new Logger(DeliveryService.name);

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
    const message = await this.begin(claim);
    if (!message || signal.aborted) return;
    const delivery = await this.email.deliver(
      {
        id: message.id,
        // Only a message that came in can be without.
        to: message.recipient!,
        subject: message.subject ?? '',
        text: message.body,
        date: message.createdAt,
      },
      signal,
    );
    await this.failpoints.reach('after outside call, before journal', message.id);
    // Of an aborted hand-over nothing is known; whoever has the message next finds out.
    if (signal.aborted && delivery.outcome !== 'sent') return;
    await this.record(claim, outcomeOf(delivery, message.attempts + 1), signal);
  }

  /** The message, now marked as being sent; undefined when there is nothing to send any more. */
  private begin({ organizationId, id, epoch }: Claim): Promise<Message | undefined> {
    return this.tenants.transaction(organizationId, async () => {
      const message = await this.messages.findForUpdate(organizationId, id);
      if (message?.epoch !== epoch) return undefined;
      if (!['scheduled', 'queued', 'sending'].includes(message.status)) return undefined;
      this.changes.publish(organizationId, resourceChange('messages', id));
      const obstacle = await this.obstacle(message);
      if (obstacle) {
        await this.happened(await this.messages.settle(organizationId, id, obstacle));
        return undefined;
      }
      await this.messages.begin(organizationId, id, epoch);
      return message;
    });
  }

  /** Why a message that was accepted must not be sent after all. */
  private async obstacle(message: Message): Promise<Outcome | undefined> {
    if (message.attempts >= MOST_ATTEMPTS) {
      return {
        status: 'failed',
        reason: `Gave up after ${message.attempts} attempts that did not end.`,
      };
    }
    const { organizationId, contactId } = message;
    const contact = contactId === null ? null : await this.contacts.find(organizationId, contactId);
    if (!contact) return { status: 'canceled', reason: 'The contact was deleted.' };
    if (contact.consent.email?.status === 'denied') {
      return { status: 'canceled', reason: 'The contact has denied consent to e-mail meanwhile.' };
    }
    return undefined;
  }

  /** Tries for as long as the lease is held: an outcome that is not recorded means another hand-over. */
  private async record(claim: Claim, outcome: Outcome, signal: AbortSignal): Promise<void> {
    const { organizationId, id, epoch } = claim;
    for (;;) {
      try {
        const recorded = await this.tenants.transaction(organizationId, async () => {
          this.changes.publish(organizationId, resourceChange('messages', id));
          if (!(await this.messages.finish(organizationId, id, epoch, outcome))) return false;
          if (outcome.status !== 'queued') {
            await this.happened((await this.messages.find(organizationId, id))!);
          }
          return true;
        });
        if (!recorded) this.logger.warn(`The outcome of ${id} came after its lease had been lost.`);
        return;
      } catch (error) {
        if (signal.aborted) throw error;
        this.logger.warn(`Recording the outcome of ${id} failed: ${toError(error).message}`);
        await sleep(RECORD_RETRY_MS);
      }
    }
  }

  private async happened(message: Message): Promise<void> {
    if (message.status !== 'sent' && message.status !== 'failed') return;
    const event = messageEvent(`message.${message.status}`, message);
    await this.events.emit(message.organizationId, event);
  }
}

function outcomeOf(delivery: Delivery, attempt: number): Outcome {
  if (delivery.outcome === 'sent') return { status: 'sent', reason: null };
  if (delivery.outcome === 'refused') return { status: 'failed', reason: delivery.reason };
  const retryInSeconds = retryPause(attempt);
  const reason = `Attempt ${attempt} of ${MOST_ATTEMPTS}: ${delivery.reason}`;
  return retryInSeconds === undefined
    ? { status: 'failed', reason }
    : { status: 'queued', reason, retryInSeconds };
}
