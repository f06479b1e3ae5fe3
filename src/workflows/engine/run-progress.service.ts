import { Injectable, Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { ChangeFeed, resourceChange } from '../../changes/change-feed.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError, toError } from '../../errors/app-error.js';
import { DomainEvents } from '../../events/domain-events.js';
import { Failpoints } from '../../failpoints/failpoints.js';
import { LEASE_SECONDS } from '../../queue/leased-work.js';
import { WakeUps } from '../../queue/wake-ups.js';
import type { Place } from '../definitions/step-engine.js';
import { isAwaiting } from '../definitions/steps/awaiting-steps.js';
import { type EventWaitStep, isEventWait } from '../definitions/steps/event-wait-step.js';
import { kindOf } from '../definitions/steps/step-kinds.js';
import { hasStopped } from '../definitions/steps/stop-step.js';
import type { HeldRun, JournalEntry } from '../journal/claimed-run.js';
import { RunJournalRepository } from '../journal/run-journal.repository.js';
import { RunsRepository } from '../journal/runs.repository.js';
import { RunWaitsRepository } from '../waits/run-waits.repository.js';
import { runFailed } from './run-failed-event.js';
import { isKnown, retryDelay, stepError } from './step-failure.js';

/** How many failed attempts of a step are kept: its retry policy allows ten, and the run may be retried. */
const MOST_FAILED_ATTEMPTS = 20;

/** Whether the run goes on at once in this worker. */
export type Progress = 'on' | 'over';

/** Writes the entry of a step that waits, in the open transaction, unless it cannot be begun in this way. */
type BeginWait = (held: HeldRun, place: Place<EventWaitStep>) => Promise<void>;

/** Writes down how far a run has come, and only while this worker holds it. */
@Injectable()
export class RunProgress {
  private readonly logger = new Logger(RunProgress.name);
  private beginWait?: BeginWait;

  constructor(
    private readonly tenants: TenantDatabase,
    private readonly runs: RunsRepository,
    private readonly journal: RunJournalRepository,
    private readonly waits: RunWaitsRepository,
    private readonly wakeUps: WakeUps,
    private readonly changes: ChangeFeed,
    private readonly events: DomainEvents,
    private readonly failpoints: Failpoints,
  ) {}

  /** From now on waits for events begin in the transaction of the step before them, by this. */
  beginWaitsBy(begin: BeginWait): void {
    this.beginWait = begin;
  }

  /**
   * Lets `steps` share the open transaction, in which each can fail by itself. That this worker holds the run until the
   * commit is checked when it is written down how far they came.
   */
  async shared(held: HeldRun, steps: () => Promise<Progress>): Promise<Progress> {
    const { organizationId, id } = held.lease;
    this.changes.publish(organizationId, resourceChange('runs', id));
    let progress: Progress;
    held.isShared = true;
    try {
      progress = await steps();
    } finally {
      held.isShared = false;
    }
    if (progress === 'on') await this.stay(held);
    return progress;
  }

  /** A transaction in which this worker surely holds the run, until it commits; then the run has changed. */
  async fenced<T>(held: HeldRun, work: () => Promise<T>): Promise<T> {
    const { organizationId, id } = held.lease;
    if (held.isShared) {
      return await held.orUnstage(() => this.tenants.undoably(organizationId, work));
    }
    return await held.alone(() =>
      this.tenants.transaction(organizationId, async () => {
        held.run.contactId = await this.runs.fence(held.lease);
        this.changes.publish(organizationId, resourceChange('runs', id));
        return await work();
      }),
    );
  }

  /** Writes an entry, and, in the same transaction, what becomes of the run now. */
  async done(held: HeldRun, entry: JournalEntry): Promise<Progress> {
    await this.record(held, entry);
    return await this.goOn(held, entry.stepId);
  }

  /** Writes an entry of a step that goes on being carried out. */
  async record(held: HeldRun, entry: JournalEntry): Promise<void> {
    const isNew = !held.journalAfter(entry.stepId);
    this.journal.record(held.lease.organizationId, held.lease.id, entry, isNew);
    held.stage(entry);
  }

  /** Ends the run, or lets go of it, where nothing else can be done now; `path` is no longer being carried out. */
  async goOn(held: HeldRun, path?: string): Promise<Progress> {
    await this.beginWaits(held);
    const { ready, asleep, end } = held.planAfter();
    const isAlone = [...held.inFlight].every((other) => other === path);
    if (!isAlone || (!end && ready.length > 0)) {
      await this.stay(held);
      return 'on';
    }
    if (end?.status === 'failed') await this.fail(held, end.at!);
    else if (end) {
      await this.failpoints.reach('after last step, before done', held.lease.id);
      await this.runs.finish(held.lease, 'succeeded', end.at ? `stopped:${end.at.path}` : null);
      await this.hintParents(held);
    } else return await this.park(held, asleep);
    return 'over';
  }

  private async stay(held: HeldRun): Promise<void> {
    // Of several steps that share a transaction, once is enough.
    if (held.isShared) return;
    await this.runs.progress(held.lease, LEASE_SECONDS, !held.isSuspect);
  }

  /** Lets go of the run until the first of its waits ends. */
  private async park(held: HeldRun, asleep: readonly Place[]): Promise<Progress> {
    if (await this.hasNews(held, asleep)) {
      await this.stay(held);
      return 'on';
    }
    const dueAt = ({ path }: Place): number => held.journalAfter(path)!.dueAt!;
    const first = asleep.reduce((a, b) => (dueAt(b) < dueAt(a) ? b : a));
    const { waitReason = 'wait' } = kindOf(first.step);
    const at = await this.runs.park(held.lease, waitReason);
    this.tenants.afterCommit(() => this.wakeUps.wake('run', held.lease.id, at));
    return 'over';
  }

  /** What the step before caused, such as a message on its way, must find the wait for it in place. */
  private async beginWaits(held: HeldRun): Promise<void> {
    for (const place of held.planAfter().ready) {
      const { step, path } = place;
      if (!isEventWait(step) || held.journalAfter(path) || held.inFlight.has(path)) continue;
      // The step before may have changed whom the run is about.
      held.run.contactId = await this.runs.fence(held.lease);
      await this.beginWait!(held, { ...place, step });
    }
  }

  /**
   * Whether something has come that steps wait for besides a time. If not, it can come only once this transaction is
   * over, for the waits are locked: the run must not be parked in between.
   */
  private async hasNews(held: HeldRun, asleep: readonly Place[]): Promise<boolean> {
    if (!isAwaiting(held.content.steps)) return false;
    const { organizationId, id } = held.lease;
    const waits = await this.waits.lock(
      organizationId,
      id,
      asleep.map(({ path }) => path),
    );
    const over = waits.filter(({ isDelivered }) => isDelivered);
    for (const { stepId } of over) {
      held.stage({ ...held.journalAfter(stepId)!, dueAt: performance.now() });
    }
    return over.length > 0;
  }

  /** The database has made the runs due that wait for this one; without a hint they would be found a second later. */
  private async hintParents({ run, lease }: HeldRun): Promise<void> {
    if (run.depth === 0) return;
    const parents = await this.waits.parentsOf(lease.organizationId, lease.id);
    for (const id of parents) this.tenants.afterCommit(() => this.wakeUps.wake('run', id));
  }

  private async fail(held: HeldRun, { step, path }: Place): Promise<void> {
    const isStop = hasStopped(step, held.journalAfter(path)?.output);
    const reason = `${isStop ? 'stopped' : 'step_failed'}:${path}`;
    await this.runs.finish(held.lease, 'failed', reason);
    await this.hintParents(held);
    const event = runFailed(held.run, held.content.workflowName, reason);
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
      return await this.done(held, await this.until(held, failed, seconds * 1000));
    });
  }

  /** The entry of a step that waits for a time, so many milliseconds from now or at the moment. */
  async until(held: HeldRun, entry: JournalEntry, time: number | Date): Promise<JournalEntry> {
    const now = (await this.runs.now(held.lease.organizationId)).getTime();
    const left = typeof time === 'number' ? time : time.getTime() - now;
    return {
      ...entry,
      status: 'waiting',
      wakeAt: new Date(now + left),
      dueAt: performance.now() + left,
    };
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
}
