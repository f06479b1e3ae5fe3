import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError, toError } from '../../errors/app-error.js';
import { DomainEvents, type EmittedEvent } from '../../events/domain-events.js';
import { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { type Claim, LEASE_SECONDS } from '../../queue/leased-work.js';
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
/** The number of claims after which an event whose delivery fails is deleted. */
const MOST_CLAIMS = 20;

/**
 * Delivers events to the runs that wait for them. The transaction of an event only stores it, at a cost that does not
 * grow with the number of waiting runs. After the commit a worker delivers it in batches.
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
   * Delivers the event to every run that waits for it. A worker that takes over continues after the last batch. Deletes
   * an event that cannot be delivered, and logs its id. Otherwise workers would claim it forever.
   */
  async deliver(claim: Claim, signal: AbortSignal): Promise<void> {
    let batchSize = BATCH;
    let hasMore = true;
    while (hasMore && !signal.aborted) {
      try {
        hasMore = await this.tenants.transaction(claim.organizationId, () =>
          this.deliverBatch(claim, batchSize),
        );
      } catch (error) {
        if (signal.aborted) throw error;
        // The waits of a batch may be too large together. Try them one by one.
        if (isTooLarge(error) && batchSize > 1) batchSize = 1;
        else if (isHopeless(claim, error)) return await this.discard(claim, toError(error));
        else throw error;
      }
    }
  }

  private async store(organizationId: string, event: EmittedEvent): Promise<void> {
    if (!(await this.pending.insert(organizationId, event))) return;
    this.tenants.afterCommit(() => this.wakeUps.wake('event', event.id));
  }

  /** Delivers the event to the next waits. Returns true when there may be more waits. */
  private async deliverBatch(claim: Claim, batchSize: number): Promise<boolean> {
    const { organizationId, id } = claim;
    const event = await this.pending.fence(claim);
    if (!event) return false;
    const candidates = await this.pending.findCandidates(organizationId, event, batchSize);
    const matches: Match[] = [];
    for (const candidate of candidates) {
      const match = await this.match(organizationId, event, candidate);
      if (match) matches.push(match);
    }
    const runs = await this.pending.deliver(organizationId, event, matches);
    if (runs.length > 0) {
      await this.events.delivered(organizationId, event, new Set(runs).size);
    }
    for (const runId of await this.waits.wake(organizationId, runs)) {
      this.tenants.afterCommit(() => this.wakeUps.wake('run', runId));
    }
    if (candidates.length < batchSize) {
      await this.pending.delete(organizationId, id);
      return false;
    }
    await this.pending.advance(organizationId, id, candidates.at(-1)!, LEASE_SECONDS);
    return true;
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
      // The organization has used up its processor time, so the event is delivered later.
      if (!(error instanceof AppError) || error.code === 'rate_limited') throw error;
      return { runId, stepId, error: error.message };
    }
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof AppError && error.code === 'payload_too_large';
}

/** Returns true when another attempt would fail too. */
function isHopeless({ epoch }: Claim, error: unknown): boolean {
  if (isTooLarge(error)) return true;
  const isTransient =
    error instanceof AppError && (error.code === 'unavailable' || error.code === 'rate_limited');
  return !isTransient && epoch > MOST_CLAIMS;
}
