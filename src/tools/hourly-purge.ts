import {
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { Env } from '../config/env.js';
import type { GateDatabase } from '../database/gate-database.js';
import { toError } from '../errors/app-error.js';

const EVERY_MS = 60 * 60 * 1000;
const BATCH = 1000;

/** Deletes old rows with a function of the gate, in batches of 1000, once an hour in every worker. */
export abstract class HourlyPurge implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(this.constructor.name);
  private timer?: NodeJS.Timeout;

  /** `purgeFunction` takes the days and the size of a batch, and returns the number of rows that it deleted. */
  constructor(
    private readonly env: Env,
    private readonly gate: GateDatabase,
    private readonly purgeFunction: string,
    private readonly keepDays: number,
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
        const [row] = await this.gate.call<Record<string, number>>(this.purgeFunction, [
          this.keepDays,
          BATCH,
        ]);
        removed = row?.[this.purgeFunction] ?? 0;
      } while (removed === BATCH);
    } catch (error) {
      this.logger.warn(
        `Deleting old rows failed, and will be retried in an hour: ${toError(error).message}`,
      );
    }
  }
}
