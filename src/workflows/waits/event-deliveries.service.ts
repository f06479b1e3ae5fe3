import { Injectable, type OnModuleInit } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError } from '../../errors/app-error.js';
import { DomainEvents, type EmittedEvent } from '../../events/domain-events.js';
import { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { type Claim, LEASE_SECONDS } from '../../queue/leased-work.js';
import { WakeUps } from '../../queue/wake-ups.js';
import {
  type Candidate,
  type HeldEvent,
  type Hit,
  PendingEventsRepository,
} from './pending-events.repository.js';
import { RunWaitsRepository } from './run-waits.repository.js';

/** Waits that one transaction holds an event against. */
const BATCH = 200;

/**
 * Hands events to the runs that wait for them. The transaction of an event only keeps it, at a cost that does not grow
 * with the runs that wait; a worker hands it on, in batches, as soon as that transaction is committed.
 */
@Injectable()
export class EventDeliveries implements OnModuleInit {
  constructor(
    private readonly events: DomainEvents,
    private readonly tenants: TenantDatabase,
    private readonly pending: PendingEventsRepository,
    private readonly waits: RunWaitsRepository,
    private readonly liquid: LiquidSandbox,
    private readonly wakeUps: WakeUps,
  ) {}

  onModuleInit(): void {
    this.events.subscribe((organizationId, event) => this.keep(organizationId, event));
  }

  /** Hands the event to every run that waits for it. What was handed on when a worker dies is not handed on again. */
  async deliver(claim: Claim, signal: AbortSignal): Promise<void> {
    let isMore = true;
    while (isMore && !signal.aborted) {
      isMore = await this.tenants.transaction(claim.organizationId, () => this.deliverSome(claim));
    }
  }

  private async keep(organizationId: string, event: EmittedEvent): Promise<void> {
    if (!(await this.pending.insert(organizationId, event))) return;
    this.tenants.afterCommit(() => this.wakeUps.wake('event', event.id));
  }

  /** Whether there may be more. */
  private async deliverSome(claim: Claim): Promise<boolean> {
    const { organizationId, id } = claim;
    const event = await this.pending.fence(claim);
    if (!event) return false;
    const candidates = await this.pending.candidates(organizationId, event, BATCH);
    const hits = candidates.map((candidate) => this.hit(event, candidate)).filter((hit) => !!hit);
    const runs = await this.pending.deliver(organizationId, event, hits);
    for (const runId of await this.waits.wake(organizationId, runs)) {
      this.tenants.afterCommit(() => this.wakeUps.wake('run', runId));
    }
    if (candidates.length < BATCH) {
      await this.pending.delete(organizationId, id);
      return false;
    }
    await this.pending.advance(organizationId, id, candidates.at(-1)!, LEASE_SECONDS);
    return true;
  }

  /** A condition that cannot be evaluated ends the wait as well: its owner sees why, instead of a run that hangs. */
  private hit(event: HeldEvent, candidate: Candidate): Hit | undefined {
    const { run_id: runId, step_id: stepId, condition, bindings } = candidate;
    if (condition === null) return { runId, stepId, error: null };
    try {
      const holds = this.liquid.test(condition, { ...bindings, event: event.payload });
      return holds ? { runId, stepId, error: null } : undefined;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { runId, stepId, error: error.message };
    }
  }
}
