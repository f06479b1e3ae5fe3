import { setTimeout as pause } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Env } from '../config/env.js';
import { GateDatabase } from '../database/gate-database.js';
import { toError } from '../errors/app-error.js';

const POLL_MS = 30_000;
const INTERVAL_SECONDS = 60 * 60;
/** The length of a lease. It is longer than any batch takes, and each batch renews the lease. */
const LEASE_SECONDS = 120;
/**
 * The largest number of rows that one transaction deletes. The steps of a run are deleted with the run, and do not
 * count.
 */
const BATCH = 200;
/** The pause after each batch, so that other work is not slowed down. */
const PAUSE_MS = 100;

interface Claim {
  organization_id: string;
  kind: string;
  epoch: number;
}

/**
 * Deletes rows that are older than the retention rules of their organization. Every hour, one worker purges each kind
 * of rows of an organization, in small transactions that never wait for a lock.
 */
@Injectable()
export class RetentionWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(RetentionWorker.name);
  private readonly stopping = new AbortController();
  private timer?: NodeJS.Timeout;
  private purging?: Promise<void>;

  constructor(
    private readonly env: Env,
    private readonly gate: GateDatabase,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.env.runsWorker) return;
    this.timer = setInterval(() => void this.purge(), POLL_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.purging;
  }

  /** Purges everything that is due. When the claim fails, the rest is purged by a later call. */
  purge(): Promise<void> {
    this.purging ??= this.purgeAll()
      .catch((error: unknown) => {
        if (!this.stopping.signal.aborted) {
          this.logger.warn(
            `Deleting old rows failed, and will be retried in 30 seconds: ${toError(error).message}`,
          );
        }
      })
      .finally(() => {
        this.purging = undefined;
      });
    return this.purging;
  }

  private async purgeAll(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const [claim] = await this.gate.call<Claim>('claim_purge', [LEASE_SECONDS]);
      if (!claim) return;
      await this.purgeClaimed(claim);
    }
  }

  /** Purges the rows of one rule. A failure must not keep the rules of other organizations waiting. */
  private async purgeClaimed(claim: Claim): Promise<void> {
    const { organization_id: id, kind, epoch } = claim;
    try {
      const isDone = await this.purgeKind(claim);
      // When the process stops during the work, the rule is due again immediately, for another worker.
      await this.gate.call('finish_purge', [id, kind, epoch, isDone ? INTERVAL_SECONDS : 0]);
    } catch (error) {
      this.logger.warn(
        `Deleting old ${kind} of ${id} failed, and will be retried in two minutes: ${toError(error).message}`,
      );
    }
  }

  /** Purges one batch after the other. Returns true when no old rows are left, or when another worker has the claim. */
  private async purgeKind({ organization_id: id, kind, epoch }: Claim): Promise<boolean> {
    const values = [id, kind, epoch, BATCH, LEASE_SECONDS];
    while (!this.stopping.signal.aborted) {
      // The function returns the number of deleted rows, or -1 when the claim was lost.
      const [row] = await this.gate.callFor<{ purge: number }>(id, 'purge', values);
      if (row!.purge < BATCH) return true;
      await pause(PAUSE_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
    return false;
  }
}
