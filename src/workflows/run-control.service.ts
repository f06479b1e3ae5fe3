import { Injectable } from '@nestjs/common';
import { resourceChange } from '../changes/change.js';
import { ChangeFeed } from '../changes/change-feed.js';
import { TenantDatabase } from '../database/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import { WakeUps } from '../queue/wake-ups.js';
import { RunJournalRepository } from './run-journal.repository.js';
import type { RunView } from './run-view.js';
import { RunsRepository } from './runs.repository.js';
import { RunsService } from './runs.service.js';

/** Ends runs, and lets ended ones go on. */
@Injectable()
export class RunControl {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly runs: RunsRepository,
    private readonly journal: RunJournalRepository,
    private readonly reader: RunsService,
    private readonly wakeUps: WakeUps,
    private readonly changes: ChangeFeed,
  ) {}

  /** Ends a run that has not ended; throws `conflict` for one that has. */
  async cancel(organizationId: string, id: string): Promise<RunView> {
    if (!(await this.end(organizationId, id))) {
      const run = await this.reader.require(organizationId, id);
      throw new AppError('conflict', `The run has ended already: ${run.status}.`);
    }
    return await this.reader.get(organizationId, id);
  }

  /** Ends a run if there is one that has not ended, and says whether it did. */
  async end(organizationId: string, id: string): Promise<boolean> {
    const ended = await this.runs.cancel(organizationId, id);
    if (ended) this.changes.publish(organizationId, resourceChange('runs', id));
    return ended;
  }

  /** Lets a run that failed or was canceled go on, from the step that failed, with the version it began with. */
  async retry(organizationId: string, id: string): Promise<RunView> {
    const run = await this.reader.require(organizationId, id);
    if (!(await this.runs.requeue(organizationId, id))) {
      throw new AppError(
        'conflict',
        `Only a failed or canceled run can be retried: ${run.status}.`,
      );
    }
    const failedStep = /^step_failed:(.+)$/.exec(run.reason ?? '')?.[1];
    if (failedStep !== undefined) await this.journal.forget(organizationId, id, failedStep);
    this.tenants.afterCommit(() => this.wakeUps.wake('run', id));
    this.changes.publish(organizationId, resourceChange('runs', id));
    return await this.reader.get(organizationId, id);
  }
}
