import { Injectable } from '@nestjs/common';
import { ChangeFeed, resourceChange } from '../../changes/change-feed.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError } from '../../errors/app-error.js';
import { WakeUps } from '../../queue/wake-ups.js';
import { RunsRepository } from '../journal/runs.repository.js';
import { RunLimitsService } from '../triggers/run-limits.service.js';
import type { EditedPayload } from './edited-payload.js';
import { RunControlRepository } from './run-control.repository.js';
import {
  type ControlOutcome,
  refuseOthers,
  type RetryOptions,
  RunRetriesService,
} from './run-retries.service.js';
import type { RunVersion } from './run.inputs.js';

/**
 * The largest number of wake-ups of one call. A worker cannot start more runs at the same time, and polls find the
 * other runs.
 */
const MAX_WAKE_UPS = 50;

/** Cancels, retries and replays runs. Every method needs a transaction of the organization. */
@Injectable()
export class RunControlService {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly control: RunControlRepository,
    private readonly retries: RunRetriesService,
    private readonly runs: RunsRepository,
    private readonly wakeUps: WakeUps,
    private readonly changes: ChangeFeed,
    private readonly limits: RunLimitsService,
  ) {}

  /** Cancels a run. Throws `conflict` when it has ended. */
  async cancel(organizationId: string, id: string): Promise<void> {
    if (await this.cancelIfOpen(organizationId, id)) return;
    const { status } = await this.runs.get(organizationId, id);
    throw new AppError('conflict', `The run has ended already: ${status}.`);
  }

  /** Cancels a run. Returns false when the run does not exist or has ended. */
  async cancelIfOpen(organizationId: string, id: string): Promise<boolean> {
    const { done } = await this.cancelAll(organizationId, [id], true);
    return done.length > 0;
  }

  /** Cancels runs. Without `wait`, a run that a worker has locked at this moment is refused. */
  async cancelAll(
    organizationId: string,
    ids: readonly string[],
    wait = false,
  ): Promise<ControlOutcome> {
    const done = await this.control.cancel(organizationId, ids, wait);
    this.admitOthers(organizationId, done);
    this.publishChanges(organizationId, done);
    const text = 'The run has ended, or a worker is writing to it. If it has not ended, try again.';
    return { done, refused: refuseOthers(ids, done, text) };
  }

  /**
   * Continues a failed or canceled run at the step that failed, with its version or the newest version. Throws
   * `conflict` for every other run, and when a finished step differs in the newest version. Throws `conflict` too when
   * a step of `callerRunId` makes this call and its chain of runs is too long.
   */
  async retry(
    organizationId: string,
    id: string,
    version: RunVersion,
    callerRunId?: string,
  ): Promise<void> {
    const { status } = await this.runs.get(organizationId, id);
    const { refused } = await this.retryAll(organizationId, [id], version, {
      wait: true,
      callerRunId,
    });
    if (status !== 'failed' && status !== 'canceled') {
      throw new AppError(
        'conflict',
        `Only failed or canceled runs can be retried: this run is ${status}.`,
      );
    }
    if (refused[0]) throw refused[0].error;
  }

  /** Retries failed and canceled runs. Without `wait`, runs that another transaction has locked are refused. */
  async retryAll(
    organizationId: string,
    ids: readonly string[],
    version: RunVersion,
    options: RetryOptions = {},
  ): Promise<ControlOutcome> {
    const outcome = await this.retries.retry(organizationId, ids, version, options);
    this.wakeWorkers(outcome.done);
    this.publishChanges(organizationId, outcome.done);
    return outcome;
  }

  /**
   * Starts a copy of an earlier run, with another payload if one is given, and returns its id. Throws `conflict` when
   * the workflow is not active.
   */
  async replay(
    organizationId: string,
    id: string,
    version: RunVersion,
    edited?: EditedPayload,
  ): Promise<string> {
    await this.runs.get(organizationId, id);
    const { done, refused } = await this.replayAll(organizationId, [id], version, edited);
    if (refused[0]) throw refused[0].error;
    return done[0]!;
  }

  /** Replays runs. Returns the ids of the new runs in `done`. An edited payload replaces the payload of every run. */
  async replayAll(
    organizationId: string,
    ids: readonly string[],
    version: RunVersion,
    edited?: EditedPayload,
  ): Promise<ControlOutcome> {
    const outcome = await this.retries.replay(organizationId, ids, version, edited);
    this.wakeWorkers(outcome.done);
    this.publishChanges(organizationId, outcome.done);
    return outcome;
  }

  private wakeWorkers(ids: readonly string[]): void {
    for (const id of ids.slice(0, MAX_WAKE_UPS)) {
      this.tenants.afterCommit(() => this.wakeUps.wake('run', id));
    }
  }

  /** Admits runs that limits delayed while the given runs were running. */
  private admitOthers(organizationId: string, ids: readonly string[]): void {
    for (const id of ids.slice(0, MAX_WAKE_UPS)) {
      this.tenants.afterCommit(() => void this.limits.admit(organizationId, id));
    }
  }

  private publishChanges(organizationId: string, ids: readonly string[]): void {
    for (const id of ids) this.changes.publish(organizationId, resourceChange('runs', id));
  }
}
