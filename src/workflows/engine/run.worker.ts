import { Injectable, Logger } from '@nestjs/common';
import { ChangeFeed, resourceChange } from '../../changes/change-feed.js';
import { Env } from '../../config/env.js';
import { GateDatabase } from '../../database/gate-database.js';
import { toError } from '../../errors/app-error.js';
import { Failpoints } from '../../failpoints/failpoints.js';
import type { Share } from '../../queue/fair-share.js';
import type { Claim } from '../../queue/leased-work.js';
import { QueueWorker } from '../../queue/queue-worker.js';
import { WakeUps } from '../../queue/wake-ups.js';
import { RunLimitsService } from '../triggers/limits/limit-gates.service.js';
import { RunExecutor } from './run-executor.service.js';

const SWEEP_MS = 2000;
const SWEEP_BATCH = 500;
/** How often claims queue what waits no longer, and what was left by workers that died. */
const WAKE_MS = 250;

/** Takes runs that are due, whosever they are, and carries them on; each inside its own organization. */
@Injectable()
export class RunWorker extends QueueWorker {
  readonly kind = 'run';
  protected readonly graceMs = 20_000;
  protected override readonly isShared = true;
  private readonly logger = new Logger(RunWorker.name);
  private sweepTimer?: NodeJS.Timeout;
  private sweeping = false;
  private wokenAt = -Infinity;

  constructor(
    env: Env,
    gate: GateDatabase,
    wakeUps: WakeUps,
    failpoints: Failpoints,
    private readonly executor: RunExecutor,
    private readonly changes: ChangeFeed,
    private readonly limitGates: RunLimitsService,
  ) {
    super(env, gate, wakeUps, failpoints);
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
    // The claim made it `running`.
    this.publish(claim);
    try {
      await this.executor.execute(claim, signal);
    } finally {
      // It has ended or waits, so its slot is free for another one.
      if (claim.isLimited) await this.limitGates.admit(claim.id);
    }
  }

  override async release(claims: Claim[]): Promise<void> {
    await super.release(claims);
    for (const claim of claims) this.publish(claim);
  }

  /**
   * Queues everything whose time has come, however much: waits that are over and runs whose workers died. Claims do so
   * too, but a few at a time, and behind a long line of those of one organization all others would wait.
   */
  private async sweep(): Promise<void> {
    if (this.sweeping) return;
    this.sweeping = true;
    try {
      let woken = SWEEP_BATCH;
      while (woken === SWEEP_BATCH) {
        const [row] = await this.gate.call<{ woken: number }>('wake_runs', [SWEEP_BATCH]);
        woken = row!.woken;
      }
      await this.limitGates.sweep();
    } catch (error) {
      this.logger.debug(`Sweeping failed and is tried again: ${toError(error).message}`);
    } finally {
      this.sweeping = false;
    }
  }

  private publish({ organizationId, id }: Claim): void {
    this.changes.publish(organizationId, resourceChange('runs', id));
  }
}
