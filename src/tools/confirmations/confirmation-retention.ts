import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Env } from '../../config/env.js';
import { GateDatabase } from '../../database/gate-database.js';
import { toError } from '../../errors/app-error.js';

export const KEEP_DAYS = 30;
const EVERY_MS = 60 * 60 * 1000;
const BATCH = 1000;

/** Deletes confirmations 30 days after they expired, and unanswered ones after one day. Runs hourly in every worker. */
@Injectable()
export class ConfirmationRetention implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(ConfirmationRetention.name);
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly env: Env,
    private readonly gate: GateDatabase,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.env.runsWorker) return;
    this.timer = setInterval(() => void this.purge(), EVERY_MS).unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  async purge(): Promise<void> {
    try {
      let removed: number;
      do {
        const [row] = await this.gate.call<{ purge_confirmations: number }>('purge_confirmations', [
          KEEP_DAYS,
          BATCH,
        ]);
        removed = row?.purge_confirmations ?? 0;
      } while (removed === BATCH);
    } catch (error) {
      this.logger.warn(
        `Deleting old confirmations failed, and will be retried in an hour: ${toError(error).message}`,
      );
    }
  }
}
