import { Injectable, Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Batcher } from '../batching/batcher.js';
import { ChangeFeed, resourceChange } from '../changes/change-feed.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError, toError } from '../errors/app-error.js';
import { DomainEvents } from '../events/domain-events.js';
import { type Claim, keyOf } from '../queue/leased-work.js';
import {
  type ClaimOutcome,
  type LockedMessages,
  MessageAttemptsRepository,
} from './message-attempts.repository.js';
import { messageEvent } from './message-events.js';
import type { Message } from './message.entity.js';
import type { Outcome } from './message-outcome.js';
import { MessagesRepository } from './messages.repository.js';
import { SuppressionsService } from './suppressions.service.js';

const EVENTS = [
  ['sent', 'message.sent'],
  ['failed', 'message.failed'],
] as const;
type MessageEnd = (typeof EVENTS)[number];
const RECORD_RETRY_MS = 1000;
const MOST_REFUSALS = 10;
/**
 * The longest time that outcomes wait while other outcomes are being recorded. The waiting outcomes are then recorded
 * together.
 */
const MOST_WAIT_MS = 20;

/**
 * Records the outcomes of messages, and the events about them. While outcomes of an organization are being recorded,
 * new outcomes of this organization wait. They are then recorded together.
 */
@Injectable()
export class MessageOutcomesService {
  private readonly logger = new Logger(MessageOutcomesService.name);
  private readonly batches = new Batcher<ClaimOutcome, ReadonlySet<string>>(
    (organizationId, outcomes) => this.recordAll(organizationId, outcomes, 'skip'),
    { maxWaitMs: MOST_WAIT_MS },
  );

  constructor(
    private readonly attempts: MessageAttemptsRepository,
    private readonly messages: MessagesRepository,
    private readonly suppressions: SuppressionsService,
    private readonly tenants: TenantDatabase,
    private readonly changes: ChangeFeed,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Ends a locked message for which no attempt is made. The caller must have opened a transaction of the organization.
   */
  async settle({ organizationId, id }: Message, outcome: Outcome): Promise<void> {
    await this.messages.settle(organizationId, id, outcome);
    const awaited = await this.findAwaited(organizationId, [outcome]);
    await this.emitEvents(organizationId, [{ id, status: outcome.status }], awaited);
  }

  /**
   * Records an outcome. Retries until the lease ends, because without a recorded outcome another worker would send the
   * message again. Throws when the database refuses the outcome repeatedly, so that the message does not occupy its
   * worker without end.
   */
  async record(claim: Claim, outcome: Outcome, signal: AbortSignal): Promise<void> {
    for (let refusals = 0; ;) {
      try {
        const ended = { claim, outcome };
        if ((await this.recordInBatch(ended)) || (await this.recordAlone(ended))) return;
        this.logger.warn(
          `The outcome of ${claim.id} was not recorded: its lease had ended, and another worker may send it again.`,
        );
        return;
      } catch (error) {
        const isRefused = !(error instanceof AppError && error.code === 'unavailable');
        if (isRefused) refusals += 1;
        if (signal.aborted || refusals >= MOST_REFUSALS) throw error;
        this.logger.warn(
          `The outcome of ${claim.id} could not be recorded and will be retried: ${toError(error).message}`,
        );
        await sleep(RECORD_RETRY_MS);
      }
    }
  }

  /** Records an outcome in a batch. Returns false when the outcome must be recorded alone. */
  private async recordInBatch(ended: ClaimOutcome): Promise<boolean> {
    try {
      const { result } = await this.batches.add(ended.claim.organizationId, ended);
      return result.has(keyOf(ended.claim));
    } catch (error) {
      if (error instanceof AppError && error.code === 'unavailable') throw error;
      // Another message may have made the batch fail. The batch was rolled back, so each outcome can be recorded
      // alone.
      return false;
    }
  }

  /** Waits for a transaction that has locked the message. Returns false when another worker has claimed it. */
  private async recordAlone(ended: ClaimOutcome): Promise<boolean> {
    const recorded = await this.recordAll(ended.claim.organizationId, [ended], 'wait');
    return recorded.has(keyOf(ended.claim));
  }

  /** Returns the keys of the claims whose outcome was recorded. */
  private recordAll(
    organizationId: string,
    outcomes: readonly ClaimOutcome[],
    locked: LockedMessages,
  ): Promise<ReadonlySet<string>> {
    return this.tenants.transaction(organizationId, async () => {
      // Statements that are sent together take one round trip.
      const [claims, awaited] = await Promise.all([
        this.attempts.recordOutcomes(organizationId, outcomes, locked),
        this.findAwaited(
          organizationId,
          outcomes.map(({ outcome }) => outcome),
        ),
      ]);
      const recorded = new Set(claims.map(keyOf));
      const ended = outcomes
        .filter(({ claim }) => recorded.has(keyOf(claim)))
        .map(({ claim: { id }, outcome: { status, code } }) => ({ id, status, code }));
      for (const { id, status, code } of ended) {
        this.changes.publish(organizationId, resourceChange('messages', id));
        if (status === 'failed' && code === 'bounced')
          await this.suppressRecipient(organizationId, id);
      }
      await this.emitEvents(organizationId, ended, awaited);
      return recorded;
    });
  }

  /** Suppresses the address of a message that bounced, because later messages to the address would bounce too. */
  private async suppressRecipient(organizationId: string, id: string): Promise<void> {
    const message = await this.messages.find(organizationId, id);
    await this.suppressions.addRecipient(message!, 'bounce');
  }

  /**
   * Returns the events of the given outcomes, but only events that a workflow or a run waits for. Most organizations
   * have no such workflows and runs.
   */
  private async findAwaited(
    organizationId: string,
    outcomes: readonly Outcome[],
  ): Promise<readonly MessageEnd[]> {
    const possible = EVENTS.filter(([status]) =>
      outcomes.some((outcome) => outcome.status === status),
    );
    const answers = await Promise.all(
      possible.map(([, name]) => this.events.isAwaited(organizationId, name)),
    );
    return possible.filter((_, index) => answers[index]);
  }

  private async emitEvents(
    organizationId: string,
    ended: readonly Pick<Message, 'id' | 'status'>[],
    awaited: readonly MessageEnd[],
  ): Promise<void> {
    for (const [status, name] of awaited) {
      for (const { id } of ended.filter((message) => message.status === status)) {
        const message = await this.messages.find(organizationId, id);
        // The cause is the run that sent this message. The batch may have begun in a step of another run, which sent
        // another message of the batch.
        const event = { ...messageEvent(name, message!), runId: message!.runId };
        await this.events.emit(organizationId, event);
      }
    }
  }
}
