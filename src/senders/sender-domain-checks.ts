import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Env } from '../config/env.js';
import { GateDatabase } from '../database/gate-database.js';
import { toError } from '../errors/app-error.js';
import { SenderDomainsService } from './sender-domains.service.js';

const EVERY_MS = 60 * 60 * 1000;
/** The largest number of domains that are looked up at the same time. */
const AT_ONCE = 10;
const MOST_ROUNDS = 100;

/** Looks up the records of verified domains again, once a day for each, in every worker. */
@Injectable()
export class SenderDomainChecks implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(SenderDomainChecks.name);
  private readonly stop = new AbortController();
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly env: Env,
    private readonly gate: GateDatabase,
    private readonly domains: SenderDomainsService,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.env.runsWorker) return;
    this.timer = setInterval(() => void this.checkDue(), EVERY_MS).unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
    this.stop.abort();
  }

  /** Checks all domains that are due. */
  async checkDue(): Promise<void> {
    const { signal } = this.stop;
    try {
      for (let round = 0; round < MOST_ROUNDS && !signal.aborted; round += 1) {
        const due = await this.gate.call<{ organization_id: string; id: string }>(
          'claim_sender_domains',
          [AT_ONCE],
        );
        const checks = due.map((row) => this.domains.verify(row.organization_id, row.id, signal));
        for (const check of await Promise.allSettled(checks)) {
          // The check may have failed because the domain was removed meanwhile.
          if (check.status === 'rejected') this.warn(check.reason);
        }
        if (due.length < AT_ONCE) return;
      }
    } catch (error) {
      this.warn(error);
    }
  }

  private warn(error: unknown): void {
    this.logger.warn(
      `A look-up of sender domains failed, and will be repeated in an hour: ${toError(error).message}`,
    );
  }
}
