import { Injectable } from '@nestjs/common';
import type { Handover } from '../channels/channel-contract.js';
import type { UncertainPolicy } from '../channels/channel.decorator.js';
import { type HandedOver, HandoversService } from '../channels/handovers.service.js';
import type { Claim } from '../queue/leased-work.js';
import { MessageAttemptsService } from './message-attempts.service.js';
import { MOST_ATTEMPTS, type Outcome } from './message-outcome.js';
import { MessageOutcomesService } from './message-outcomes.service.js';
import { MessagePermissionService } from './message-permission.service.js';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** The seconds before the second attempt, the third attempt, and so on. */
const PAUSES_SECONDS = [30, 2 * MINUTE, 10 * MINUTE, HOUR, 4 * HOUR];

/**
 * The outcome of an attempt that a stop of its worker ended before the provider could accept the message. Another worker
 * may begin the next attempt immediately.
 */
const INTERRUPTED: Outcome = { status: 'queued', reason: null, retryInSeconds: 0 };

/**
 * Delivers claimed messages: counts the attempt, hands the message over, records the outcome. No transaction is open
 * during the wait for the provider. When a crash or a lost connection leaves the outcome unknown, the message is sent
 * again or becomes `uncertain`, as its `on_uncertain` says. Without `on_uncertain`, an e-mail is sent again with the
 * same Message-ID, and messages of the other channels become `uncertain`.
 */
@Injectable()
export class MessageDeliveryService {
  constructor(
    private readonly attempts: MessageAttemptsService,
    private readonly outcomes: MessageOutcomesService,
    private readonly permission: MessagePermissionService,
    private readonly handovers: HandoversService,
  ) {}

  async deliver(claim: Claim, signal: AbortSignal): Promise<void> {
    const attempt = await this.attempts.begin(claim);
    if (!attempt) return;
    const { message, route, policy } = attempt;
    if (signal.aborted) {
      // The message was not handed over. Without this outcome, the next worker would not know this, and could make the
      // message `uncertain`.
      await this.outcomes.record(claim, INTERRUPTED, signal);
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
    const { outcome } = result.handover;
    // Nobody knows whether this aborted attempt sent the message. The next worker that claims the message applies the
    // policy for uncertain messages.
    if (signal.aborted && outcome !== 'sent' && outcome !== 'failed') return;
    // The abort may be the cause of the failure. So the failure is not recorded.
    const isInterrupted = signal.aborted && outcome === 'failed';
    const ended = isInterrupted ? INTERRUPTED : toOutcome(result, message.attempts + 1, policy);
    await this.outcomes.record(claim, ended, signal);
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
