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
import { DueWork } from '../../queue/due-work.js';
import { RunsRepository } from '../journal/runs.repository.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';
import { runFailedEvent } from './run-endings.service.js';

const BATCH = 100;
const PARKED = {
  step: null,
  error: {
    code: 'poison',
    message:
      'Three workers died while the run was at the same step. Correct the cause, and retry the run.',
  },
};

/**
 * Emits `run.failed` for parked runs. The claim that parks a run (`claim_runs.sql`) emits nothing, and its process may
 * die right after that. So the database lists the parked runs, and every worker polls the list. A person who has
 * corrected the cause continues the run with `retry_run`, from the step that had begun.
 */
@Injectable()
export class ParkedRunsService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(ParkedRunsService.name);
  private polling?: Promise<void>;
  private isStopped = false;
  private isFailing = false;

  constructor(
    private readonly env: Env,
    private readonly gate: GateDatabase,
    private readonly tenants: TenantDatabase,
    private readonly runs: RunsRepository,
    private readonly workflows: WorkflowsRepository,
    private readonly events: DomainEvents,
    private readonly dueWork: DueWork,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.env.runsWorker) return;
    this.dueWork.listen('parked run', () => {
      if (this.isStopped) return;
      this.polling ??= this.poll().finally(() => {
        this.polling = undefined;
      });
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    await this.polling;
  }

  /**
   * Emits the events of parked runs in the list. Never rejects. A run whose event failed stays in the list, and the
   * other runs of its organization wait for the next poll. Otherwise an organization that locks its rows would make the
   * others wait for each of its runs.
   */
  private async poll(): Promise<void> {
    try {
      const found = await this.gate.call<{ id: string; organization_id: string }>(
        'find_parked_runs',
        [BATCH],
      );
      const failing = new Set<string>();
      for (const { id, organization_id: organizationId } of found) {
        if (this.isStopped || failing.has(organizationId)) continue;
        if (!(await this.emitFailure(organizationId, id))) failing.add(organizationId);
      }
      this.isFailing = false;
    } catch (error) {
      // An outage is logged once, and not at every poll.
      if (!this.isFailing) this.warn('Cannot read the list of parked runs', error);
      this.isFailing = true;
    }
  }

  /**
   * Removes the run from the list and emits the event in one transaction, so that the event is emitted once. Returns
   * false when this failed.
   */
  private async emitFailure(organizationId: string, id: string): Promise<boolean> {
    try {
      await this.tenants.transaction(organizationId, async () => {
        if (!(await this.runs.deleteParked(organizationId, id))) return;
        const run = await this.runs.find(organizationId, id);
        if (!run) return;
        const name = await this.workflows.getName(organizationId, run.workflowId);
        await this.events.emit(organizationId, runFailedEvent(run, name, 'poison', PARKED));
      });
      return true;
    } catch (error) {
      this.warn(`Cannot emit run.failed for the parked run ${id}`, error);
      return false;
    }
  }

  private warn(message: string, error: unknown): void {
    this.logger.warn(`${message}; retrying: ${toError(error).message}`);
  }
}
