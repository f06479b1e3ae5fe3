import { setTimeout as pause } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Env } from '../config/env.js';
import { GateDatabase } from '../database/gate-database.js';
import { ActiveOrganizations } from '../database/transactions/active-organizations.js';
import { toError } from '../errors/app-error.js';

const POLL_MS = 1000;
/**
 * The length of a lease. It is longer than a measurement may take, so two workers never measure the same organization
 * at the same time.
 */
const LEASE_SECONDS = 120;
const TIMEOUT_MS = 110_000;
/**
 * The length of the pause after a measurement, as a multiple of the measurement. So a process measures at most 10 % of
 * the time.
 */
const PAUSE_FACTOR = 9;

interface Claim {
  organization_id: string;
}

/**
 * Measures the stored contacts, runs and bytes of organizations that have written something. The database refuses new
 * rows of an organization that has used up a quota. Every process reports the organizations that wrote something, and
 * workers measure them.
 */
@Injectable()
export class QuotaWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(QuotaWorker.name);
  private readonly stopping = new AbortController();
  private timer?: NodeJS.Timeout;
  private working?: Promise<void>;

  constructor(
    private readonly env: Env,
    private readonly gate: GateDatabase,
    private readonly active: ActiveOrganizations,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.work(), POLL_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.working;
    // Without this last write, the rows of the last second would be counted only after the next write, or after an
    // hour.
    await this.markActive().catch(() => undefined);
  }

  private async work(): Promise<void> {
    this.working ??= this.markAndMeasure()
      .catch((error: unknown) => {
        this.logger.warn(`Measuring quotas failed, and will be retried: ${toError(error).message}`);
      })
      .finally(() => {
        this.working = undefined;
      });
    await this.working;
  }

  private async markAndMeasure(): Promise<void> {
    await this.markActive();
    if (!this.env.runsWorker) return;
    while (!this.stopping.signal.aborted) {
      const [claim] = await this.gate.call<Claim>('claim_measure', [LEASE_SECONDS]);
      if (!claim) return;
      const began = performance.now();
      await this.measure(claim.organization_id);
      const pauseMs = (performance.now() - began) * PAUSE_FACTOR;
      await pause(pauseMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      await this.markActive();
    }
  }

  /** Measures one organization. A failure must not keep the other organizations from being measured. */
  private async measure(organizationId: string): Promise<void> {
    try {
      await this.gate.callSlow('measure_quotas', [organizationId], TIMEOUT_MS);
    } catch (error) {
      this.logger.warn(
        `Measuring the quotas of ${organizationId} failed, and will be retried in two minutes: ${toError(error).message}`,
      );
    }
  }

  private async markActive(): Promise<void> {
    const ids = this.active.take();
    if (ids.length === 0) return;
    try {
      await this.gate.call('mark_active', [ids]);
    } catch (error) {
      for (const id of ids) this.active.add(id);
      throw error;
    }
  }
}
