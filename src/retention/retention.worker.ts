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

const LOOK_MS = 30_000;
const AGAIN_SECONDS = 60 * 60;
/** Longer than any batch may take; each batch renews it. */
const LEASE_SECONDS = 120;
/** Rows of one transaction. Each run takes its steps along. */
const BATCH = 200;
/** Leaves the database to others most of the time, whatever a batch takes. */
const PAUSE_MS = 100;

interface Claim {
  organization_id: string;
  kind: string;
  epoch: number;
}

/**
 * Removes what organizations do not want to keep any longer: every hour, each kind of rows of an organization by one
 * worker, in small transactions that wait for nobody.
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
    this.timer = setInterval(() => void this.purge(), LOOK_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.purging;
  }

  /** Purges all that is due. What fails is left to the time when the lease has run out. */
  purge(): Promise<void> {
    this.purging ??= this.purgeAll()
      .catch((error: unknown) => {
        if (!this.stopping.signal.aborted) {
          this.logger.warn(`What is too old was not removed: ${toError(error).message}`);
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
      const { organization_id: id, kind, epoch } = claim;
      const isDone = await this.purgeKind(claim);
      // Stopped half-way: due again at once, for another worker.
      await this.gate.call('finish_purge', [id, kind, epoch, isDone ? AGAIN_SECONDS : 0]);
    }
  }

  /** Whether nothing is left that is too old, or somebody else is at it. */
  private async purgeKind(claim: Claim): Promise<boolean> {
    for (;;) {
      if (this.stopping.signal.aborted) return false;
      if ((await this.purgeBatch(claim)) < BATCH) return true;
      await this.pause();
    }
  }

  private async pause(): Promise<void> {
    const { signal } = this.stopping;
    await pause(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }

  /** How many rows went; -1 when the claim is gone. */
  private async purgeBatch({ organization_id: id, kind, epoch }: Claim): Promise<number> {
    const values = [id, kind, epoch, BATCH, LEASE_SECONDS];
    const [row] = await this.gate.call<{ purge: number }>('purge', values);
    return row!.purge;
  }
}
