import { Injectable } from '@nestjs/common';
import { Batcher } from '../batching/batcher.js';
import { ChangeFeed, resourceChange } from '../changes/change-feed.js';
import type { UncertainPolicy } from '../channels/channel.decorator.js';
import type { StoredProvider } from '../channels/channel-providers.service.js';
import { HandoversService } from '../channels/handovers.service.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import { PaceService } from '../pacing/pace.service.js';
import { type Claim, keyOf } from '../queue/leased-work.js';
import {
  type LockedMessages,
  MessageAttemptsRepository,
  type MessageOfClaim,
} from './message-attempts.repository.js';
import { MessageOutcomesService } from './message-outcomes.service.js';
import { MessagePermissionService, type Permission } from './message-permission.service.js';
import type { Message } from './message.entity.js';
import { MOST_ATTEMPTS, type Outcome } from './message-outcome.js';

/**
 * The longest time that claimed messages wait while attempts to send other messages begin. The attempts of the waiting
 * messages then begin together.
 */
const MOST_WAIT_MS = 20;
const UNSENT = new Set(['scheduled', 'queued', 'held', 'sending']);

/** A message whose attempt has begun, with all data for the attempt. */
export interface Attempt {
  readonly message: Message;
  readonly route: readonly StoredProvider[];
  readonly policy: UncertainPolicy;
}

/** Maps the key of each claim to the attempt that began. The value is null when the message must not be sent now. */
type Begun = ReadonlyMap<string, Attempt | null>;

/**
 * Begins the attempts to send claimed messages. Messages of one organization that are claimed at the same moment begin
 * in one transaction. This transaction also checks all rules that may refuse or hold the messages.
 */
@Injectable()
export class MessageAttemptsService {
  private readonly batches = new Batcher<Claim, Begun>(
    (organizationId, claims) => this.beginAll(organizationId, claims, 'skip'),
    { maxWaitMs: MOST_WAIT_MS },
  );

  constructor(
    private readonly attempts: MessageAttemptsRepository,
    private readonly permission: MessagePermissionService,
    private readonly pace: PaceService,
    private readonly outcomes: MessageOutcomesService,
    private readonly handovers: HandoversService,
    private readonly tenants: TenantDatabase,
    private readonly changes: ChangeFeed,
  ) {}

  /**
   * Marks the message as being sent. Returns null when it must not be sent now, or when another worker has claimed it.
   */
  async begin(claim: Claim): Promise<Attempt | null> {
    const { organizationId } = claim;
    const begun = await this.beginInBatch(claim);
    if (begun !== undefined) return begun;
    const alone = await this.beginAll(organizationId, [claim], 'wait');
    const attempt = alone.get(keyOf(claim));
    if (attempt !== undefined) return attempt;
    // Without this call, a message that is too large would be claimed again at the end of each lease.
    await this.tenants.transaction(organizationId, () => this.attempts.endTooLarge(claim));
    return null;
  }

  /** Begins attempts in one transaction. Returns undefined when each message must be tried alone. */
  private async beginInBatch(claim: Claim): Promise<Attempt | null | undefined> {
    try {
      const { result } = await this.batches.add(claim.organizationId, claim);
      return result.get(keyOf(claim));
    } catch (error) {
      if (error instanceof AppError && error.code === 'unavailable') throw error;
      // Another message may have made the batch fail. The batch was rolled back, so each message can be tried
      // alone.
      return undefined;
    }
  }

  private beginAll(
    organizationId: string,
    claims: readonly Claim[],
    locked: LockedMessages,
  ): Promise<Begun> {
    return this.tenants.transaction(organizationId, async () => {
      const messages = await this.permission.lock(organizationId, claims, locked);
      const begun = new Map<string, Attempt | null>(
        messages.map(({ message }) => [keyOf(message), null]),
      );
      const unsent = messages.filter(({ message }) => UNSENT.has(message.status)).sort(byContact);
      let allowed: Message[] = [];
      for (const { message, permission } of unsent) {
        this.changes.publish(organizationId, resourceChange('messages', message.id));
        // A cap counts only messages whose attempt has begun. Without this call, it would not count the earlier
        // messages of this batch to the same contact, and all of them would pass a cap of one.
        if (permission.isPaced && allowed.at(-1)?.contactId === message.contactId) {
          this.beginAttempts(organizationId, allowed);
          allowed = [];
        }
        const attempt = await this.prepare(message, permission);
        if (!attempt) continue;
        begun.set(keyOf(message), attempt);
        allowed.push(message);
      }
      this.beginAttempts(organizationId, allowed);
      return begun;
    });
  }

  private beginAttempts(organizationId: string, messages: readonly Message[]): void {
    if (messages.length === 0) return;
    this.attempts.begin(
      organizationId,
      messages.map(({ id }) => id),
    );
  }

  /**
   * Returns the data for the attempt of a locked message. When the message must not be sent now, stores the reason and
   * returns undefined.
   */
  private async prepare(
    message: MessageOfClaim,
    { ban, isPaced }: Permission,
  ): Promise<Attempt | undefined> {
    const { organizationId, channel } = message;
    const policy = this.handovers.policyOf(channel, message.onUncertain);
    const obstacle = endedBefore(message, policy) ?? ban;
    if (obstacle) {
      await this.outcomes.settle(message, obstacle);
      return undefined;
    }
    if (isPaced && (await this.pause(message))) return undefined;
    const route = await this.handovers.route(organizationId, channel);
    if (await this.delayForLimit(message, route[0])) return undefined;
    return { message, route, policy };
  }

  /**
   * Holds or drops the message by the rules of the organization. Returns false when the message may be sent now. In
   * this case, the message counts for its caps.
   */
  private async pause(message: Message): Promise<boolean> {
    const { organizationId, id, contactId, channel, topic } = message;
    // A message without a contact was refused earlier, so this message has a contact.
    const paced = { id, contactId: contactId!, channel, topic };
    const pause = await this.pace.decide(organizationId, paced);
    if (!pause) return false;
    const { code, reason, until, cap } = pause;
    if (until) await this.pace.hold(message, { code, reason, cap, until });
    else await this.outcomes.settle(message, { status: 'suppressed', reason, code });
    return true;
  }

  /**
   * Delays the message until the limit of its provider has a place for the message. Returns false when the message may
   * be sent now.
   */
  private async delayForLimit(
    { organizationId, id, epoch, hasSlot }: MessageOfClaim,
    provider: StoredProvider | undefined,
  ): Promise<boolean> {
    // The message has already waited for its reserved place. A lost place is reserved again. Without this, all messages
    // whose places passed while no worker ran would be sent at the same moment.
    if (hasSlot) return false;
    const waitSeconds = await this.handovers.reserve(organizationId, provider);
    if (waitSeconds > 0) await this.attempts.delay(organizationId, id, epoch, waitSeconds);
    return waitSeconds > 0;
  }
}

/**
 * Sorts messages by contact. Two transactions that lock the caps of contacts in different orders would wait for each
 * other.
 */
function byContact(
  { message: { contactId: a } }: { message: Message },
  { message: { contactId: b } }: { message: Message },
): number {
  if (a === b) return 0;
  return (a ?? '') < (b ?? '') ? -1 : 1;
}

/**
 * Returns the final outcome of a message when no further attempt is allowed after its earlier attempts. Otherwise
 * returns undefined.
 */
function endedBefore({ status, attempts }: Message, policy: UncertainPolicy): Outcome | undefined {
  // A worker died between the handover and the record of its outcome. Another attempt could send the message twice.
  if (status === 'sending' && policy === 'hold') {
    return {
      status: 'uncertain',
      reason: `Attempt ${attempts} ended without a result: the message may have been sent.`,
      code: 'no_outcome',
    };
  }
  if (attempts >= MOST_ATTEMPTS) {
    return {
      status: 'failed',
      reason: `Stopped after ${attempts} attempts without a result.`,
      code: 'attempts_exhausted',
    };
  }
  return undefined;
}
