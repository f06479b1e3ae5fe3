import { Injectable } from '@nestjs/common';
import type { Consent } from '../contacts/consent.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { Claim } from '../queue/leased-work.js';
import type { SubscriptionState } from '../topics/topic-subscription.entity.js';
import type { Message } from './message.entity.js';
import type { Outcome } from './message-outcome.js';
import {
  BEGIN_ATTEMPTS,
  DELAY,
  END_TOO_LARGE,
  FIND_PERMISSIONS,
  FIND_PERMISSIONS_OF_CLAIMED,
  LOCK_CLAIMED,
  LOCK_FREE_CLAIMED,
  RECORD_OUTCOMES,
  RECORD_OUTCOMES_OF_FREE,
} from './message-attempt-statements.js';
import type { SuppressionReason } from './suppressed-address.entity.js';

/** The part of a message that the rules read. This part is enough to check a message before it is stored. */
export type PermittedMessage = Pick<
  Message,
  'organizationId' | 'contactId' | 'channel' | 'recipient' | 'topic'
>;

/** A locked message of a claim. */
export interface MessageOfClaim extends Message {
  /** True when the message may use the place that it has reserved in the limit of its provider. */
  readonly hasSlot: boolean;
}

/** Stored data that decides whether one message may be sent. */
export interface StoredPermission {
  readonly suppression: SuppressionReason | null;
  /** Null when the contact was deleted. */
  readonly consent: Consent | null;
  /** The consent of another contact that has the address of the message. Null when there is no such contact. */
  readonly consentOfHolder: Consent | null;
  /** True if the contact that has the address of the message has left the topic of the message. */
  readonly isLeftByHolder: boolean;
  /** Null for a message without a topic, and for a topic that was deleted. */
  readonly subscription: SubscriptionState | null;
  /** True when the organization has rules about when messages are sent. */
  readonly isPaced: boolean;
}

/** A claimed message, and the outcome of the attempt to send it. */
export interface ClaimOutcome {
  readonly claim: Claim;
  readonly outcome: Outcome;
}

/**
 * The treatment of messages that another transaction has locked. `wait` waits for their locks. `skip` leaves locked
 * messages out, so that they do not delay the other messages, and no transaction waits for two locks.
 */
export type LockedMessages = 'skip' | 'wait';

/**
 * Reads and writes many messages of one organization in one statement. Every method needs a transaction of the
 * organization.
 */
@Injectable()
export class MessageAttemptsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /**
   * Returns the messages whose claims are still valid, and locks them until the transaction ends. Leaves out messages
   * that are too large to read.
   */
  async lock(
    organizationId: string,
    claims: readonly Claim[],
    locked: LockedMessages,
  ): Promise<MessageOfClaim[]> {
    const statement = locked === 'skip' ? LOCK_FREE_CLAIMED : LOCK_CLAIMED;
    return await this.tenants
      .session(organizationId)
      .query<MessageOfClaim>(statement, [organizationId, keysOf(claims)]);
  }

  /** Returns the stored decisions that apply to each claimed message now, by the id of the message. */
  async findPermissionsOfClaimed(
    organizationId: string,
    claims: readonly Claim[],
  ): Promise<ReadonlyMap<string, StoredPermission>> {
    const found = await this.tenants
      .session(organizationId)
      .query<StoredPermission & { id: string }>(FIND_PERMISSIONS_OF_CLAIMED, [
        organizationId,
        keysOf(claims),
      ]);
    return new Map(found.map((permission) => [permission.id, permission]));
  }

  /** Returns the stored decisions that apply to each message, in the order of the messages. */
  async findPermissions(
    organizationId: string,
    messages: readonly PermittedMessage[],
  ): Promise<StoredPermission[]> {
    const given = messages.map(({ contactId, channel, recipient, topic }, position) => {
      return { id: position, contact_id: contactId, channel, recipient, topic };
    });
    return await this.tenants
      .session(organizationId)
      .query<StoredPermission>(FIND_PERMISSIONS, [organizationId, JSON.stringify(given)]);
  }

  /**
   * Queues an update that counts the attempts before they begin. So attempts that end in a crash are counted too. A
   * message without a lease gets a lease. The caller must have locked the messages.
   */
  begin(organizationId: string, ids: readonly string[]): void {
    this.tenants
      .session(organizationId)
      .defer(BEGIN_ATTEMPTS, [organizationId, JSON.stringify(ids.map((id) => ({ id })))]);
  }

  /**
   * Ends the claim. Workers may claim the message again after the delay. An attempt that then begins in time reserves
   * no place in the limit of the provider, because the message has one already.
   */
  async delay(organizationId: string, id: string, epoch: number, seconds: number): Promise<void> {
    await this.tenants.session(organizationId).query(DELAY, [organizationId, id, epoch, seconds]);
  }

  /** Ends a claimed message as failed if its texts are too large to read. */
  async endTooLarge({ organizationId, id, epoch }: Claim): Promise<void> {
    await this.tenants.session(organizationId).query(END_TOO_LARGE, [organizationId, id, epoch]);
  }

  /**
   * Records the outcomes of attempts, and returns the claims whose outcome was recorded. Nothing is written for a
   * message that another worker has claimed.
   */
  async recordOutcomes(
    organizationId: string,
    outcomes: readonly ClaimOutcome[],
    locked: LockedMessages,
  ): Promise<Claim[]> {
    const statement = locked === 'skip' ? RECORD_OUTCOMES_OF_FREE : RECORD_OUTCOMES;
    const rows = outcomes.map(({ claim: { id, epoch }, outcome }) => ({
      id,
      epoch,
      status: outcome.status,
      reason: outcome.reason,
      retry_seconds: outcome.retryInSeconds,
      code: outcome.code,
      provider_id: outcome.providerId,
      provider_message_id: outcome.providerMessageId,
    }));
    const recorded = await this.tenants
      .session(organizationId)
      .query<{ id: string; epoch: number }>(statement, [organizationId, JSON.stringify(rows)]);
    return recorded.map(({ id, epoch }) => ({ id, organizationId, epoch }));
  }
}

function keysOf(claims: readonly Claim[]): string {
  return JSON.stringify(claims.map(({ id, epoch }) => ({ id, epoch })));
}
