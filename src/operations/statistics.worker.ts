import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Env } from '../config/env.js';
import { GateDatabase } from '../database/gate-database.js';
import { toError } from '../errors/app-error.js';

const INTERVAL_MS = 5000;

/**
 * Lets PostgreSQL collect statistics of tables that grow fast. In the first minute of a new database, PostgreSQL makes
 * plans while the tables are empty. Without this worker, these plans would stay slow until autovacuum looks at the
 * tables.
 */
@Injectable()
export class StatisticsWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(StatisticsWorker.name);
  private timer?: NodeJS.Timeout;
  private working?: Promise<void>;

  constructor(
    private readonly env: Env,
    private readonly gate: GateDatabase,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.env.runsWorker) return;
    this.timer = setInterval(() => void this.analyze(), INTERVAL_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.working;
  }

  /** Collects the statistics that are due. A failure is logged, and the next call tries again. */
  analyze(): Promise<void> {
    this.working ??= this.gate
      .call('analyze_growing_tables', [])
      .then(() => undefined)
      .catch((error: unknown) => {
        this.logger.warn(
          `Statistics of tables could not be collected, and will be retried: ${toError(error).message}`,
        );
      })
      .finally(() => {
        this.working = undefined;
      });
    return this.working;
  }
}
