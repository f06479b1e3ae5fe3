import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { resourceChange } from '../changes/change.js';
import { ChangeFeed } from '../changes/change-feed.js';
import { TenantDatabase } from '../database/tenant-database.js';
import { AppError, toError } from '../errors/app-error.js';
import { DomainEvents } from '../events/domain-events.js';
import { Failpoints } from '../failpoints/failpoints.js';
import { LEASE_SECONDS } from '../queue/leased-worker.js';
import { WakeUps } from '../queue/wake-ups.js';
import type { HeldRun, JournalEntry } from './held-run.js';
import { runFailed } from './run-failed-event.js';
import { RunJournalRepository } from './run-journal.repository.js';
import { RunsRepository } from './runs.repository.js';
import { nextAction, type Place } from './step-engine.js';
import { isKnown, retryDelay, stepError } from './step-failure.js';

/** How many failed attempts of a step are kept: its retry policy allows ten, and the run may be retried. */
const MOST_FAILED_ATTEMPTS = 20;

/** Whether the run goes on at once in this worker. */
export type Progress = 'on' | 'over';

/** Writes down how far a run has come, and only while this worker holds it. */
@Injectable()
export class RunProgress {
  private readonly logger = new Logger(RunProgress.name);

  constructor(
    private readonly tenants: TenantDatabase,
    private readonly runs: RunsRepository,
    private readonly journal: RunJournalRepository,
    private readonly wakeUps: WakeUps,
    private readonly changes: ChangeFeed,
    private readonly events: DomainEvents,
    private readonly failpoints: Failpoints,
  ) {}

  /** A transaction in which this worker surely holds the run, until it commits; then the run has changed. */
  async fenced<T>(held: HeldRun, work: () => Promise<T>): Promise<T> {
    const before = [...held.journal];
    const { organizationId, id } = held.lease;
    try {
      return await this.tenants.transaction(organizationId, async () => {
        held.run.contactId = await this.runs.fence(held.lease);
        this.changes.publish(organizationId, resourceChange('runs', id));
        return await work();
      });
    } catch (error) {
      // What was not committed did not happen: memory must not run ahead of the database.
      held.journal.clear();
      for (const [id, entry] of before) held.journal.set(id, entry);
      throw error;
    }
  }

  /** Writes an entry, and, in the same transaction, the end of the run if its step was the last. */
  async done(held: HeldRun, entry: JournalEntry): Promise<Progress> {
    await this.record(held, entry);
    return await this.goOn(held);
  }

  /** Writes an entry of a step that is not done. */
  async record(held: HeldRun, entry: JournalEntry): Promise<void> {
    await this.journal.record(held.lease.organizationId, held.lease.id, entry);
    held.journal.set(entry.stepId, entry);
  }

  async goOn(held: HeldRun): Promise<Progress> {
    const action = nextAction(held.steps, held.journal);
    if (action.kind === 'finish') {
      await this.failpoints.reach('after last step, before done', held.lease.id);
      await this.runs.finish(held.lease, 'succeeded', null);
      return 'over';
    }
    if (action.kind === 'fail') {
      await this.fail(held, `step_failed:${action.path}`);
      return 'over';
    }
    await this.runs.progress(held.lease, LEASE_SECONDS);
    return 'on';
  }

  private async fail(held: HeldRun, reason: string): Promise<void> {
    await this.runs.finish(held.lease, 'failed', reason);
    const event = runFailed(held.run, held.workflowName, reason);
    await this.events.emit(held.lease.organizationId, event);
  }

  /** Writes down a failed attempt: the step is tried again later, or the run goes on without it, or ends. */
  async failed(
    held: HeldRun,
    { step, path }: Place,
    entry: JournalEntry,
    error: unknown,
  ): Promise<Progress> {
    const errorId = randomUUID();
    if (!isKnown(error)) {
      const place = { error_id: errorId, run: held.lease.id, step: path };
      this.logger.error(place, toError(error).stack);
    }
    const attempt = { attempt: entry.attempts, error: stepError(error, errorId) };
    const seconds = retryDelay(step, entry.attempts, error);
    return await this.fenced(held, async () => {
      const failedAt = await this.runs.now(held.lease.organizationId);
      const failed = {
        ...entry,
        output: null,
        error: attempt.error,
        failedAttempts: [
          ...(entry.failedAttempts ?? []),
          { ...attempt, failed_at: failedAt.toISOString() },
        ].slice(-MOST_FAILED_ATTEMPTS),
      };
      if (seconds === undefined) return await this.done(held, { ...failed, status: 'failed' });
      await this.record(held, { ...failed, status: 'waiting' });
      await this.runs.park(held.lease, 'retry', seconds);
      this.wakeAt(held, new Date(Date.now() + seconds * 1000));
      return 'over';
    });
  }

  /**
   * As `fenced`, for work of a step in which only an expression can fail; anything else is not the fault of the
   * definition, and is tried again.
   */
  async orFail(
    held: HeldRun,
    place: Place,
    entry: JournalEntry,
    work: () => Promise<Progress>,
  ): Promise<Progress> {
    try {
      return await this.fenced(held, work);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'invalid_arguments') throw error;
      return await this.failed(held, place, entry, error);
    }
  }

  /** Lets go of the run until the time of the wait has come. */
  async sleep(held: HeldRun, entry: JournalEntry): Promise<Progress> {
    return await this.fenced(held, async () => {
      const at = entry.wakeAt!;
      await this.runs.parkUntil(held.lease, at);
      this.wakeAt(held, at);
      return 'over' as const;
    });
  }

  private wakeAt(held: HeldRun, at: Date): void {
    this.tenants.afterCommit(() => this.wakeUps.wake('run', held.lease.id, at));
  }
}
