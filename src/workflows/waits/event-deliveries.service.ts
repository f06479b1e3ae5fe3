import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { sqlState, STATEMENT_TIMEOUT } from '../../database/database-error.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError, toError } from '../../errors/app-error.js';
import { DomainEvents, type EmittedEvent } from '../../events/domain-events.js';
import { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { type Claim, LEASE_SECONDS } from '../../queue/leased-work.js';
import { pauseAfter } from '../../queue/pause-after.js';
import { WakeUps } from '../../queue/wake-ups.js';
import {
  type Candidate,
  type ClaimedEvent,
  type Match,
  PendingEventsRepository,
} from './pending-events.repository.js';
import { RunWaitsRepository } from './run-waits.repository.js';

/** The largest number of waits that one transaction compares with an event. */
const BATCH = 200;
/**
 * The largest number of failures at one wait. The next failure ends the wait with an error. The pauses between these
 * failures add up to about two hours, so an outage of an hour loses no event.
 */
const MOST_FAILURES = 20;
const INTERNAL_ERROR = 'The event could not be delivered because of an internal error.';

/** The time after which the delivery of an event frees its slot, so that events of other organizations have a turn. */
const TURN_MS = 1000;
/**
 * After an error, the delivery keeps its slot for longer, because it looks for the wait that causes the error in smaller
 * and smaller batches. The next turn would begin this search again.
 */
const TURN_AFTER_ERROR_MS = 5000;

/** The state of the delivery of one event. */
interface Progress {
  batchSize: number;
  /** The first wait of the current batch. It is the cause of a failure when the batch has one wait. */
  failing?: Candidate | undefined;
}

/**
 * Delivers events to the runs that wait for them. The transaction that emits an event only stores this event. The cost
 * of this transaction does not grow with the number of waiting runs. After the commit, a worker delivers the event in
 * batches.
 */
@Injectable()
export class EventDeliveriesService implements OnModuleInit {
  private readonly logger = new Logger('Event');

  constructor(
    private readonly events: DomainEvents,
    private readonly tenants: TenantDatabase,
    private readonly pending: PendingEventsRepository,
    private readonly waits: RunWaitsRepository,
    private readonly liquid: LiquidSandbox,
    private readonly wakeUps: WakeUps,
  ) {}

  onModuleInit(): void {
    this.events.subscribe(
      (organizationId, event) => this.store(organizationId, event),
      (organizationId, name) => this.pending.isAwaited(organizationId, name),
    );
  }

  /**
   * Delivers the event to every run that waits for it. A worker that takes over continues after the last batch. Returns
   * false when the event is due again at once, because its delivery takes longer than a turn. After an error, delivers
   * the event to one wait at a time, and stops at the wait that fails. The event is claimed again after a pause, which
   * grows. A wait that always fails ends with an error, and the event reaches the next waits.
   */
  async deliver(claim: Claim, signal: AbortSignal): Promise<boolean> {
    const progress: Progress = { batchSize: BATCH };
    const startedAt = performance.now();
    let hasMore = true;
    while (hasMore && !signal.aborted) {
      try {
        hasMore = await this.tenants.transaction(claim.organizationId, () =>
          this.deliverBatch(claim, progress),
        );
        const turnMs = progress.batchSize === BATCH ? TURN_MS : TURN_AFTER_ERROR_MS;
        if (hasMore && performance.now() - startedAt >= turnMs) {
          await this.pause(claim, 0);
          return false;
        }
      } catch (error) {
        if (signal.aborted) throw error;
        const pauseSeconds = pauseAfter(error);
        if (pauseSeconds !== undefined) {
          await this.pause(claim, pauseSeconds);
          break;
        }
        if (isUnavailable(error)) throw error;
        // One of the waits may have failed, or the waits of the batch together may be too large.
        if (progress.batchSize > 1) progress.batchSize = 1;
        else hasMore = await this.fail(claim, progress.failing, toError(error));
      }
    }
    return true;
  }

  private async store(organizationId: string, event: EmittedEvent): Promise<void> {
    if (!(await this.pending.insert(organizationId, event))) return;
    this.tenants.afterCommit(() => this.wakeUps.wake('event', event.id, undefined, organizationId));
  }

  /** Delivers the event to the next waits. Returns true when there may be more waits. */
  private async deliverBatch(claim: Claim, progress: Progress): Promise<boolean> {
    const { organizationId, id } = claim;
    const { batchSize } = progress;
    progress.failing = undefined;
    const event = await this.pending.fence(claim);
    if (!event) return false;
    const candidates = await this.pending.findCandidates(organizationId, event, batchSize);
    progress.failing = candidates[0];
    const { matches, last } = await this.compare(organizationId, event, candidates);
    await this.end(organizationId, event, matches);
    if (candidates.length < batchSize && last === candidates.at(-1)) {
      await this.pending.delete(organizationId, id);
      return false;
    }
    await this.pending.advance(organizationId, id, last!, LEASE_SECONDS);
    return true;
  }

  /**
   * Returns the matches, and the last wait that was compared with the event. When the turn is over, or the organization
   * has no processor time for the next condition, returns the matches so far. Otherwise a batch whose conditions need
   * more time than an organization can have would never be committed. Throws `rate_limited` when there is no time for
   * the first condition.
   */
  private async compare(
    organizationId: string,
    event: ClaimedEvent,
    candidates: readonly Candidate[],
  ): Promise<{ matches: Match[]; last?: Candidate }> {
    const matches: Match[] = [];
    let last: Candidate | undefined;
    const startedAt = performance.now();
    for (const candidate of candidates) {
      if (last && performance.now() - startedAt >= TURN_MS) break;
      try {
        const match = await this.match(organizationId, event, candidate);
        if (match) matches.push(match);
      } catch (error) {
        if (last && pauseAfter(error) !== undefined) break;
        throw error;
      }
      last = candidate;
    }
    return { matches, last };
  }

  private async pause(claim: Claim, seconds: number): Promise<void> {
    await this.tenants.transaction(claim.organizationId, () => this.pending.pause(claim, seconds));
  }

  private async end(
    organizationId: string,
    event: ClaimedEvent,
    matches: readonly Match[],
  ): Promise<void> {
    const runs = await this.pending.deliver(organizationId, event, matches);
    if (runs.length > 0) {
      await this.events.delivered(organizationId, event, new Set(runs).size);
    }
    for (const runId of await this.waits.wake(organizationId, runs)) {
      this.tenants.afterCommit(() => this.wakeUps.wake('run', runId));
    }
  }

  /**
   * Records a failed delivery. Ends the failing wait after too many failures, and returns true when there may be more
   * waits. Deletes the event when the wait cannot be ended. Without this, workers would claim the event forever.
   */
  private async fail(claim: Claim, failing: Candidate | undefined, error: Error): Promise<boolean> {
    const { organizationId, id } = claim;
    const context = { event: id, organization: organizationId };
    const failures = isTooLarge(error)
      ? Infinity
      : await this.tenants.transaction(organizationId, () => this.pending.postpone(claim));
    if (failures <= MOST_FAILURES) {
      this.logger.error(context, `The delivery of an event failed: ${error.message}`, error.stack);
      return false;
    }
    if (failing && (await this.skip(claim, failing))) {
      this.logger.error(context, `A wait for an event has failed: ${error.message}`, error.stack);
      return true;
    }
    await this.discard(claim, error);
    return false;
  }

  /** Ends the failing wait with an error. Returns false when the wait cannot be ended. */
  private async skip(claim: Claim, failing: Candidate): Promise<boolean> {
    const { organizationId, id } = claim;
    const { run_id: runId, step_id: stepId } = failing;
    try {
      await this.tenants.transaction(organizationId, async () => {
        const event = await this.pending.fence(claim);
        if (!event) return;
        await this.end(organizationId, event, [{ runId, stepId, error: INTERNAL_ERROR }]);
        await this.pending.advance(organizationId, id, failing, LEASE_SECONDS);
      });
      return true;
    } catch (error) {
      if (isUnavailable(error) || pauseAfter(error) !== undefined) throw error;
      return false;
    }
  }

  private async discard(claim: Claim, { message, stack }: Error): Promise<void> {
    await this.tenants.transaction(claim.organizationId, () => this.pending.discard(claim));
    const context = { event: claim.id, organization: claim.organizationId };
    this.logger.error(context, `The event cannot be delivered and was deleted: ${message}`, stack);
  }

  /**
   * Returns the match of a wait, even when the evaluation of its condition fails. Then the step fails with the reason
   * and does not wait forever.
   */
  private async match(
    organizationId: string,
    event: ClaimedEvent,
    candidate: Candidate,
  ): Promise<Match | undefined> {
    const { run_id: runId, step_id: stepId, condition, bindings } = candidate;
    if (condition === null) return { runId, stepId, error: null };
    try {
      const scope = { ...bindings, event: event.payload };
      const isMet = await this.liquid.test(organizationId, condition, scope);
      return isMet ? { runId, stepId, error: null } : undefined;
    } catch (error) {
      if (!(error instanceof AppError) || pauseAfter(error) !== undefined) throw error;
      return { runId, stepId, error: error.message };
    }
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof AppError && error.code === 'payload_too_large';
}

/**
 * Returns true for an error that has nothing to do with the event. The waits of an organization can make a statement
 * too slow, so a statement timeout counts as a failure of the delivery. Otherwise the event would be claimed forever.
 */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof AppError) || error.code !== 'unavailable') return false;
  return sqlState(error.cause) !== STATEMENT_TIMEOUT;
}
