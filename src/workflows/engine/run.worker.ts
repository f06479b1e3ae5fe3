import { Injectable, Logger } from '@nestjs/common';
import { ChangeFeed, resourceChange } from '../../changes/change-feed.js';
import { toError } from '../../errors/app-error.js';
import type { Share } from '../../queue/fair-share.js';
import type { Claim } from '../../queue/leased-work.js';
import { QueueWorker } from '../../queue/queue-worker.js';
import { RunLimitsService } from '../triggers/run-limits.service.js';
import { RunExecutorService } from './run-executor.service.js';
import { wakeDueRuns } from './wake-due-runs.js';

const SWEEP_MS = 2000;
/** In each period of this length, at most one claim also queues due waits and runs of dead workers. */
const WAKE_MS = 250;

/** Claims due runs of all organizations and executes each in its own organization. */
@Injectable()
export class RunWorker extends QueueWorker {
  readonly kind = 'run';
  protected readonly graceMs = 20_000;
  protected override readonly isShared = true;
  private readonly logger = new Logger(RunWorker.name);
  private sweepTimer?: NodeJS.Timeout;
  private isSweeping = false;
  private wokenAt = -Infinity;

  constructor(
    private readonly executor: RunExecutorService,
    private readonly changes: ChangeFeed,
    private readonly limits: RunLimitsService,
  ) {
    super();
  }

  override onApplicationBootstrap(): void {
    super.onApplicationBootstrap();
    if (!this.env.runsWorker) return;
    this.sweepTimer = setInterval(() => void this.sweep(), SWEEP_MS);
  }

  override async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.sweepTimer);
    await super.beforeApplicationShutdown();
  }

  override async claim(limit: number, id?: string, share?: Share): Promise<Claim[]> {
    const now = performance.now();
    const wake = id === undefined && now - this.wokenAt >= WAKE_MS;
    if (wake) this.wokenAt = now;
    return await super.claim(limit, id, share && { ...share, wake });
  }

  async work(claim: Claim, signal: AbortSignal): Promise<void> {
    // The claim has changed the status to `running`.
    this.publish(claim);
    try {
      await this.executor.execute(claim, signal);
    } finally {
      // The run has ended or waits, so another run may start under the concurrency limit.
      if (claim.isLimited) await this.limits.admit(claim.organizationId, claim.id);
    }
  }

  override async release(claims: Claim[]): Promise<void> {
    await super.release(claims);
    for (const claim of claims) this.publish(claim);
  }

  /**
   * Queues all due waits and all runs of dead workers. Claims do this too, but only for a few runs at a time. Without
   * the sweep, many due runs of one organization would delay the due runs of all others.
   */
  private async sweep(): Promise<void> {
    if (this.isSweeping) return;
    this.isSweeping = true;
    try {
      await wakeDueRuns(async (batchSize) => {
        const [row] = await this.gate.call<{ woken: number }>('wake_runs', [batchSize]);
        return row!.woken;
      });
    } catch (error) {
      this.logger.debug(`The sweep of due runs failed; retrying: ${toError(error).message}`);
    }
    try {
      await this.limits.sweep();
    } catch (error) {
      this.logger.debug(`The sweep of limits failed; retrying: ${toError(error).message}`);
    } finally {
      this.isSweeping = false;
    }
  }

  private publish({ organizationId, id }: Claim): void {
    this.changes.publish(organizationId, resourceChange('runs', id));
  }
}
