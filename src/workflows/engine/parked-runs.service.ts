import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Env } from '../../config/env.js';
import { GateDatabase } from '../../database/gate-database.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { toError } from '../../errors/app-error.js';
import { DomainEvents } from '../../events/domain-events.js';
import { ParkedRunsRepository } from './parked-runs.repository.js';
import { runFailed } from './run-failed-event.js';
import { RunsRepository } from '../journal/runs.repository.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';

const EVERY_MS = 1000;
const BATCH = 100;

/**
 * Lets the event of its failure happen for every run that was parked as `poison`. The claim that parks a run tells
 * nobody and may be the last thing its process does, so the database keeps a list, and every worker looks at it.
 */
@Injectable()
export class ParkedRuns implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(ParkedRuns.name);
  private timer?: NodeJS.Timeout;
  private telling: Promise<void> = Promise.resolve();
  private isStopped = false;
  private isFailing = false;

  constructor(
    private readonly env: Env,
    private readonly gate: GateDatabase,
    private readonly tenants: TenantDatabase,
    private readonly parked: ParkedRunsRepository,
    private readonly runs: RunsRepository,
    private readonly workflows: WorkflowsRepository,
    private readonly events: DomainEvents,
  ) {}

  onApplicationBootstrap(): void {
    if (this.env.runsWorker) this.lookLater();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.telling;
  }

  private lookLater(): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      this.telling = this.look().finally(() => this.lookLater());
    }, EVERY_MS);
  }

  /** Never rejects: what failed is still on the list. */
  private async look(): Promise<void> {
    try {
      const found = await this.gate.call<{ id: string; organization_id: string }>(
        'find_parked_runs',
        [BATCH],
      );
      for (const { id, organization_id: organizationId } of found) {
        if (!this.isStopped) await this.tell(organizationId, id);
      }
      this.isFailing = false;
    } catch (error) {
      // Once an outage, not once a look.
      if (!this.isFailing) this.warn('Parked runs were not looked for', error);
      this.isFailing = true;
    }
  }

  /** One transaction takes the run off the list and writes what follows, so that this happens once. */
  private async tell(organizationId: string, id: string): Promise<void> {
    try {
      await this.tenants.transaction(organizationId, async () => {
        if (!(await this.parked.take(organizationId, id))) return;
        const run = await this.runs.find(organizationId, id);
        if (!run) return;
        const name = await this.workflows.getName(organizationId, run.workflowId);
        await this.events.emit(organizationId, runFailed(run, name, 'poison'));
      });
    } catch (error) {
      this.warn(`Nobody was told that the run ${id} was parked`, error);
    }
  }

  private warn(what: string, error: unknown): void {
    this.logger.warn(`${what}; tried again: ${toError(error).message}`);
  }
}
