import { Injectable, Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { type HandedOver, HandoversService } from '../channels/handovers.service.js';
import type { StoredProvider } from '../channels/channel-providers.service.js';
import type { Handover } from '../channels/channel-contract.js';
import type { UncertainPolicy } from '../channels/channel.decorator.js';
import { ChangeFeed, resourceChange } from '../changes/change-feed.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { toError } from '../errors/app-error.js';
import { DomainEvents } from '../events/domain-events.js';
import type { Claim } from '../queue/leased-work.js';
import { messageEvent } from './message-events.js';
import { MOST_ATTEMPTS, MessageObstaclesService } from './message-obstacles.service.js';
import { MessagePermissionService } from './message-permission.service.js';
import type { Message } from './message.entity.js';
import type { Outcome } from './message-outcome.js';
import { MessagesRepository } from './messages.repository.js';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** Lists the seconds before the second attempt, the third attempt, and so on. */
const PAUSES_SECONDS = [30, 2 * MINUTE, 10 * MINUTE, HOUR, 4 * HOUR];
const RECORD_RETRY_MS = 1000;

/** The worker stopped before the handover. Another worker may begin the next attempt at once. */
const INTERRUPTED: Outcome = { status: 'queued', reason: null, retryInSeconds: 0 };

/** Holds a message whose attempt has begun, with what the attempt needs. */
interface Attempt {
  readonly message: Message;
  readonly route: readonly StoredProvider[];
  readonly policy: UncertainPolicy;
}

/**
 * Delivers claimed messages: counts the attempt, hands the message over, records the outcome. No transaction is open while
 * it waits for the provider. When a crash leaves the outcome unknown, the message is sent again or becomes `uncertain`, as
 * its policy says. An e-mail that is sent again has the same Message-ID.
 */
@Injectable()
export class MessageDeliveryService {
  private readonly logger = new Logger(MessageDeliveryService.name);

  constructor(
    private readonly messages: MessagesRepository,
    private readonly obstacles: MessageObstaclesService,
    private readonly permission: MessagePermissionService,
    private readonly tenants: TenantDatabase,
    private readonly handovers: HandoversService,
    private readonly changes: ChangeFeed,
    private readonly events: DomainEvents,
  ) {}

  async deliver(claim: Claim, signal: AbortSignal): Promise<void> {
    const attempt = await this.beginAttempt(claim);
    if (!attempt) return;
    const { message, route, policy } = attempt;
    if (signal.aborted) {
      // Nothing was handed over. Without this, the next worker would not know and could hold the message.
      await this.recordOutcome(claim, INTERRUPTED, signal);
      return;
    }
    const { organizationId, contactId, channel } = message;
    const given = {
      id: message.id,
      organizationId,
      contactId,
      // Only inbound messages can lack a recipient.
      to: message.recipient!,
      subject: message.subject,
      body: message.body,
      html: message.html ?? null,
      envelope: message.envelope ?? null,
      unsubscribeUrl: this.permission.unsubscribeUrlOf(message),
      createdAt: message.createdAt,
    };
    const result = await this.handovers.handOver(organizationId, channel, given, route, signal);
    // The result of an aborted attempt is unknown. The next worker that claims the message decides by its policy.
    if (signal.aborted && result.handover.outcome !== 'sent') return;
    await this.recordOutcome(claim, toOutcome(result, message.attempts + 1, policy), signal);
  }

  /** Marks the message as being sent and returns it. Returns undefined when it must not be sent, or not now. */
  private beginAttempt({
    organizationId,
    id,
    epoch,
    isPaced,
  }: Claim): Promise<Attempt | undefined> {
    return this.tenants.transaction(organizationId, async () => {
      const message = await this.messages.findForUpdate(organizationId, id);
      if (message?.epoch !== epoch) return undefined;
      if (!['scheduled', 'queued', 'held', 'sending'].includes(message.status)) return undefined;
      this.changes.publish(organizationId, resourceChange('messages', id));
      const policy = this.handovers.policyOf(message.channel, message.onUncertain);
      const obstacle = await this.obstacles.find(message, policy, isPaced === true);
      if (obstacle?.until) {
        await this.obstacles.hold(message, obstacle);
        return undefined;
      }
      if (obstacle) {
        await this.emitMessageEvent(await this.messages.settle(organizationId, id, obstacle));
        return undefined;
      }
      const route = await this.handovers.route(organizationId, message.channel);
      if (await this.delayForLimit(message, route[0])) return undefined;
      this.messages.beginAttempt(organizationId, id, epoch);
      return { message, route, policy };
    });
  }

  /** Puts the message back until the limit of its provider has a place for it. Returns false when it may be sent now. */
  private async delayForLimit(
    { organizationId, id, epoch, slotAt }: Message,
    provider: StoredProvider | undefined,
  ): Promise<boolean> {
    // The message has waited for its place.
    if (slotAt !== null) return false;
    const waitSeconds = await this.handovers.reserve(organizationId, provider);
    if (waitSeconds > 0) await this.messages.delay(organizationId, id, epoch, waitSeconds);
    return waitSeconds > 0;
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

function toOutcome(
  { handover, providerId }: HandedOver,
  attempt: number,
  policy: UncertainPolicy,
): Outcome {
  const { outcome } = handover;
  if (outcome === 'sent') {
    const { providerMessageId } = handover;
    return {
      status: 'sent',
      reason: null,
      providerId,
      ...(providerMessageId !== undefined && { providerMessageId }),
    };
  }
  const { code } = handover;
  if (outcome === 'refused') return { status: 'failed', reason: handover.reason, code, providerId };
  const reason = `Attempt ${attempt} of ${MOST_ATTEMPTS}: ${handover.reason}`;
  if (outcome === 'unknown' && policy === 'hold') {
    return { status: 'uncertain', reason, code, providerId };
  }
  const pause = PAUSES_SECONDS[attempt - 1];
  if (pause === undefined) {
    return { status: outcome === 'unknown' ? 'uncertain' : 'failed', reason, code, providerId };
  }
  const retryInSeconds = Math.max(pause, retryAfterOf(handover));
  return { status: 'queued', reason, code, providerId, retryInSeconds };
}

function retryAfterOf(handover: Handover): number {
  return handover.outcome === 'failed' ? (handover.retryAfterSeconds ?? 0) : 0;
}
