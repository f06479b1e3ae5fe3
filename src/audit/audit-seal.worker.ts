import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Env } from '../config/env.js';
import { GateDatabase } from '../database/gate-database.js';
import { toError } from '../errors/app-error.js';
import { DueWork } from '../queue/due-work.js';

const BATCH = 500;

/** Chains new entries of the audit log every second, so that a later change of an entry can be found (`seal_audit_log.sql`). */
@Injectable()
export class AuditSealWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(AuditSealWorker.name);
  private isStopping = false;
  private sealing?: Promise<void>;

  constructor(
    private readonly env: Env,
    private readonly gate: GateDatabase,
    private readonly dueWork: DueWork,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.env.runsWorker) return;
    this.dueWork.listen('audit entry', () => {
      if (!this.isStopping) void this.sealEntries();
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.sealing;
  }

  /** Chains all entries that were committed before this call. After a failure, retries after a second. */
  sealEntries(): Promise<void> {
    this.sealing ??= this.sealAll()
      .catch((error: unknown) => {
        if (this.isStopping) return;
        this.logger.warn(
          `Entries of the audit log could not be chained, and will be retried: ${toError(error).message}`,
        );
      })
      .finally(() => {
        this.sealing = undefined;
      });
    return this.sealing;
  }

  private async sealAll(): Promise<void> {
    let count: number;
    do {
      const [row] = await this.gate.call<{ seal_audit_log: number }>('seal_audit_log', [BATCH]);
      count = row!.seal_audit_log;
    } while (count === BATCH && !this.isStopping);
  }
}
