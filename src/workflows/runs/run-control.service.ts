import { Injectable } from '@nestjs/common';
import { ChangeFeed, resourceChange } from '../../changes/change-feed.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError } from '../../errors/app-error.js';
import { WakeUps } from '../../queue/wake-ups.js';
import { newId } from '../../text/ids.js';
import type { Step } from '../definitions/definition.js';
import { type RetryPlan, retryPlan } from '../journal/retry-plan.js';
import { RunJournalRepository } from '../journal/run-journal.repository.js';
import { RunsRepository } from '../journal/runs.repository.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';
import { RunLimitsService } from '../triggers/limits/limit-gates.service.js';
import { type EndedRun, RunControlRepository } from './run-control.repository.js';
import type { RunVersion } from './run.inputs.js';
import type { RunView } from './run.results.js';
import { RunsService } from './runs.service.js';

/** More runs than a worker begins at once; polls and sweeps find the others. */
const MOST_HINTS = 50;

/** A run with which nothing was done, and why. */
export interface RunRefused {
  runId: string;
  error: AppError;
}

/** What was done to many runs. */
export interface ControlOutcome {
  /** The runs that were changed, or made. */
  done: string[];
  refused: RunRefused[];
}

/** Ends runs, lets ended ones go on, and repeats them. */
@Injectable()
export class RunControl {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly workflows: WorkflowsRepository,
    private readonly runs: RunsRepository,
    private readonly control: RunControlRepository,
    private readonly journal: RunJournalRepository,
    private readonly reader: RunsService,
    private readonly wakeUps: WakeUps,
    private readonly changes: ChangeFeed,
    private readonly limitGates: RunLimitsService,
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
    if (ended) {
      this.freed([id]);
      this.publish(organizationId, [id]);
    }
    return ended;
  }

  async cancelAll(organizationId: string, ids: readonly string[]): Promise<ControlOutcome> {
    const done = await this.control.cancel(organizationId, ids);
    this.freed(done);
    this.publish(organizationId, done);
    const text = 'The run has just ended, or a worker writes to it at this moment.';
    return { done, refused: without(ids, done, text) };
  }

  /**
   * Lets a run that failed or was canceled go on, from the step that failed, with the version it began with or the
   * newest. Throws `conflict` for a run that goes on or succeeded, and where the newest version cannot go on from it.
   */
  async retry(organizationId: string, id: string, version: RunVersion): Promise<RunView> {
    const { status } = await this.reader.require(organizationId, id);
    const { refused } = await this.retryAll(organizationId, [id], version, true);
    if (status !== 'failed' && status !== 'canceled') {
      throw new AppError('conflict', `Only a failed or canceled run can be retried: ${status}.`);
    }
    if (refused[0]) throw refused[0].error;
    return await this.reader.get(organizationId, id);
  }

  /** `wait`: for runs that something else is changing, which are refused otherwise. */
  async retryAll(
    organizationId: string,
    ids: readonly string[],
    version: RunVersion,
    wait = false,
  ): Promise<ControlOutcome> {
    const runs = await this.control.lockEnded(organizationId, ids, wait);
    const journals = await this.journal.states(
      organizationId,
      runs.map(({ id }) => id),
    );
    const definitions = new Map<string, readonly Step[]>();
    const planned: { id: string; version: number; plan: RetryPlan }[] = [];
    const refused = without(
      ids,
      runs.map(({ id }) => id),
      'The run has not failed and was not canceled, or something else changes it at this moment.',
    );
    for (const run of runs) {
      try {
        const target = await this.target(organizationId, run, version);
        const steps = await this.steps(organizationId, run.workflowId, target, definitions);
        const before = await this.steps(
          organizationId,
          run.workflowId,
          run.workflowVersion,
          definitions,
        );
        const plan = retryPlan(journals.get(run.id) ?? [], steps, before);
        planned.push({ id: run.id, version: target, plan });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        refused.push({ runId: run.id, error });
      }
    }
    await this.journal.forget(organizationId, planned);
    await this.control.requeue(organizationId, planned);
    const done = planned.map(({ id }) => id);
    this.hint(done);
    this.publish(organizationId, done);
    return { done, refused };
  }

  /**
   * Starts a run like an earlier one, with its payload, contact and type of trigger, and returns its id. Throws
   * `conflict` when the workflow is gone or inactive.
   */
  async replay(organizationId: string, id: string, version: RunVersion): Promise<string> {
    await this.reader.require(organizationId, id);
    const { done, refused } = await this.replayAll(organizationId, [id], version);
    if (refused[0]) throw refused[0].error;
    return done[0]!;
  }

  async replayAll(
    organizationId: string,
    ids: readonly string[],
    version: RunVersion,
  ): Promise<ControlOutcome> {
    const runs = ids.map((id) => ({ id, newId: newId('run') }));
    const made = await this.control.replay(organizationId, runs, version);
    const done = [...made.values()];
    this.hint(done);
    this.publish(organizationId, done);
    const text = 'The workflow of the run is not active any more.';
    return { done, refused: without(ids, [...made.keys()], text) };
  }

  private async target(
    organizationId: string,
    run: EndedRun,
    version: RunVersion,
  ): Promise<number> {
    if (version === 'same') return run.workflowVersion;
    const workflow = await this.workflows.find(organizationId, run.workflowId);
    if (workflow) return workflow.version;
    throw new AppError(
      'conflict',
      'The workflow of the run was deleted: it can go on in the version that it began with only.',
    );
  }

  private async steps(
    organizationId: string,
    workflowId: string,
    version: number,
    known: Map<string, readonly Step[]>,
  ): Promise<readonly Step[]> {
    const key = `${workflowId} ${version}`;
    const steps =
      known.get(key) ?? (await this.workflows.getRunSteps(organizationId, workflowId, version));
    known.set(key, steps);
    return steps;
  }

  private hint(ids: readonly string[]): void {
    for (const id of ids.slice(0, MOST_HINTS)) {
      this.tenants.afterCommit(() => this.wakeUps.wake('run', id));
    }
  }

  /** Runs that wait for the slots of these may go. */
  private freed(ids: readonly string[]): void {
    for (const id of ids.slice(0, MOST_HINTS)) {
      this.tenants.afterCommit(() => void this.limitGates.admit(id));
    }
  }

  private publish(organizationId: string, ids: readonly string[]): void {
    for (const id of ids) this.changes.publish(organizationId, resourceChange('runs', id));
  }
}

function without(ids: readonly string[], done: readonly string[], message: string): RunRefused[] {
  const known = new Set(done);
  return ids
    .filter((id) => !known.has(id))
    .map((runId) => ({ runId, error: new AppError('conflict', message) }));
}
