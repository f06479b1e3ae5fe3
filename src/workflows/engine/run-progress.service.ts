import { Injectable, Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { ChangeFeed, resourceChange } from '../../changes/change-feed.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError, toError } from '../../errors/app-error.js';
import { LEASE_SECONDS } from '../../queue/leased-work.js';
import { WakeUps } from '../../queue/wake-ups.js';
import type { Step } from '../definitions/definition.js';
import type { Place } from '../definitions/step-engine.js';
import { CODE } from '../definitions/steps/code-step.js';
import { kindOf } from '../definitions/steps/step-kinds.js';
import { isTimeoutStep, TIMEOUT_STEP_ID } from '../definitions/steps/timeout-step.js';
import { type ClaimedRun, type JournalEntry, StepCanceledError } from '../journal/claimed-run.js';
import { JournalTooLargeError } from '../journal/journal-size.js';
import { RunJournalRepository } from '../journal/run-journal.repository.js';
import type { StepError } from '../journal/run.entity.js';
import { RunTransaction } from '../journal/run-transaction.js';
import { RunsRepository } from '../journal/runs.repository.js';
import { EventWaitsService } from './event-waits.service.js';
import { RunEndingsService } from './run-endings.service.js';
import { isExpected, toStepError } from './step-error.js';
import { getRetryDelaySeconds } from './step-retry-delay.js';
import { toWaiting } from './wait-times.js';

/**
 * The largest number of stored failed attempts. A step has at most ten attempts, but each retry of the run adds more.
 */
const MAX_FAILED_ATTEMPTS = 20;

/** `released` means that the run has ended or is suspended, so this worker does nothing more for it. */
export type Progress = 'continues' | 'released';

export interface StepAttempt<S extends Step = Step> {
  readonly run: ClaimedRun;
  readonly place: Place<S>;
  /** The open transaction that the step shares with others. When absent, the step opens a transaction. */
  readonly shared?: RunTransaction;
}

/** Records the progress of a run. Every write fails with `LeaseLostError` when this worker no longer has the lease. */
@Injectable()
export class RunProgressService {
  private readonly logger = new Logger(RunProgressService.name);

  constructor(
    private readonly tenants: TenantDatabase,
    private readonly runs: RunsRepository,
    private readonly journal: RunJournalRepository,
    private readonly eventWaits: EventWaitsService,
    private readonly endings: RunEndingsService,
    private readonly wakeUps: WakeUps,
    private readonly changes: ChangeFeed,
  ) {}

  /**
   * Runs work in a transaction of the run. A new transaction begins with the fence, which locks the run. In a shared
   * transaction, the work runs in a savepoint. Throws {@link StepCanceledError} for a step that a race has canceled.
   */
  async transaction<T>(
    { run, place, shared }: Pick<StepAttempt, 'run' | 'shared'> & Partial<StepAttempt>,
    work: (tx: RunTransaction) => Promise<T>,
  ): Promise<T> {
    const { organizationId } = run.lease;
    if (!shared) return await this.runFenced(new RunTransaction(run), work, place?.path);
    return await shared.unstageOnError(() =>
      this.tenants.savepoint(organizationId, () => work(shared)),
    );
  }

  async sharedTransaction(
    run: ClaimedRun,
    steps: (shared: RunTransaction) => Promise<Progress>,
  ): Promise<Progress> {
    return await this.runFenced(new RunTransaction(run, true), (tx) => this.runShared(tx, steps));
  }

  /** Runs several steps in an open transaction, then renews the lease once. The renewal checks the epoch. */
  async runShared(
    tx: RunTransaction,
    steps: (shared: RunTransaction) => Promise<Progress>,
  ): Promise<Progress> {
    this.publishChange(tx.run);
    const progress = await steps(tx);
    if (progress === 'continues') this.renewLease(tx);
    return progress;
  }

  record(tx: RunTransaction, entry: JournalEntry): void {
    this.journal.record(tx, entry);
  }

  /**
   * Records the entry of a step that is done or waits. In the same transaction, continues, suspends or ends the run.
   */
  async complete(tx: RunTransaction, entry: JournalEntry): Promise<Progress> {
    this.journal.record(tx, entry);
    return await this.advance(tx, entry.stepId);
  }

  /**
   * Ends or suspends the run if no step is ready. `path` is the path of the step that completes in this transaction.
   */
  async advance(tx: RunTransaction, path?: string): Promise<Progress> {
    await this.eventWaits.beginReadyWaits(tx);
    const { ready, waiting, failed, end } = tx.plan();
    const isOtherRunning = [...tx.run.running].some((other) => other !== path);
    if (isOtherRunning || (!end && ready.length > 0)) return this.stay(tx);
    if (!end) return await this.suspend(tx, waiting, failed.length > 0);
    this.endTimeout(tx);
    await this.endings.end(tx, end);
    return 'released';
  }

  /**
   * Completes a step with the entry that `work` returns, or skips the step if `work` returns no entry. `work` only
   * evaluates expressions. When it throws `invalid_arguments`, the step fails. Other errors are not faults of the
   * definition: they are thrown, and the run is retried.
   */
  async attempt(
    attempt: StepAttempt,
    work: (tx: RunTransaction, entry: JournalEntry) => Promise<JournalEntry | undefined>,
  ): Promise<Progress> {
    const entry = (attempt.shared ?? attempt.run).newEntry(attempt.place);
    try {
      return await this.transaction(attempt, async (tx) => {
        const done = await work(tx, entry);
        return await this.complete(tx, done ?? { ...entry, status: 'skipped' });
      });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'invalid_arguments') throw error;
      return await this.fail(attempt, entry, error);
    }
  }

  async fail(attempt: StepAttempt, entry: JournalEntry, error: unknown): Promise<Progress> {
    // `failTooLarge` records this failure without the input, because the input may be too large too.
    if (error instanceof JournalTooLargeError) throw error;
    const { run, place } = attempt;
    const { step, path } = place;
    const errorId = randomUUID();
    if (!isExpected(error)) {
      const context = { error_id: errorId, run: run.lease.id, step: path };
      this.logger.error(context, toError(error).stack);
    }
    const seconds = getRetryDelaySeconds(step, entry.attempts, error);
    return await this.transaction(attempt, (tx) =>
      this.completeFailed(tx, entry, toStepError(error, errorId), seconds),
    );
  }

  /**
   * Fails a step whose values do not fit into the journal. Its entry keeps only the values that were already stored.
   */
  async failTooLarge(attempt: StepAttempt, error: JournalTooLargeError): Promise<Progress> {
    const { place } = attempt;
    const journal = attempt.shared ?? attempt.run;
    const tool = 'tool' in place.step ? place.step.tool : 'code' in place.step ? CODE : null;
    const entry = journal.get(place.path) ?? journal.newEntry(place, tool);
    return await this.transaction(attempt, (tx) =>
      this.completeFailed(tx, entry, toStepError(error, ''), undefined),
    );
  }

  /** Ends a run whose journal is too large to be loaded. */
  async endTooLarge(run: ClaimedRun, error?: AppError): Promise<Progress> {
    return await this.transaction<Progress>({ run }, async (tx) => {
      await this.endings.endTooLarge(tx, error);
      return 'released';
    });
  }

  /**
   * Records a failed attempt. The step waits the given seconds for its next attempt, or fails when no seconds are
   * given.
   */
  async completeFailed(
    tx: RunTransaction,
    entry: JournalEntry,
    shown: StepError,
    seconds: number | undefined,
    output: object | null = null,
  ): Promise<Progress> {
    const now = await this.runs.now(tx.run.lease.organizationId);
    const failedAttempt = {
      attempt: entry.attempts,
      // The list of attempts does not contain responses of other systems, because they can be long.
      error: { ...shown, response: undefined },
      failed_at: now.toISOString(),
    };
    const attempts = [...(entry.failedAttempts ?? []), failedAttempt].slice(-MAX_FAILED_ATTEMPTS);
    const failed = { ...entry, error: shown, failedAttempts: attempts };
    if (seconds === undefined)
      return await this.complete(tx, { ...failed, status: 'failed', output });
    const wakeAt = new Date(now.getTime() + seconds * 1000);
    return await this.complete(tx, toWaiting({ ...failed, output: null }, wakeAt, now));
  }

  private async runFenced<T>(
    tx: RunTransaction,
    work: (tx: RunTransaction) => Promise<T>,
    path?: string,
  ): Promise<T> {
    const { run } = tx;
    return await run.runInTurn(async () => {
      // The step was canceled while it was running. Without this error, the write of its entry would be refused as if
      // the lease were lost. Then the run would not continue until another worker claims it.
      if (path !== undefined && run.get(path)?.status === 'skipped') throw new StepCanceledError();
      const result = await this.tenants.transaction(run.lease.organizationId, async () => {
        Object.assign(run.row, await this.runs.fence(run.lease));
        this.publishChange(run);
        return await work(tx);
      });
      tx.apply();
      return result;
    });
  }

  private stay(tx: RunTransaction): Progress {
    // A shared transaction renews the lease once, after its last step.
    if (!tx.isShared) this.renewLease(tx);
    return 'continues';
  }

  /** Ends the timeout step of a run that ends before its timeout. */
  private endTimeout(tx: RunTransaction): void {
    const timeout = tx.get(TIMEOUT_STEP_ID);
    if (timeout?.status !== 'waiting') return;
    this.journal.record(tx, { ...timeout, status: 'skipped', wakeAt: null });
  }

  private renewLease(tx: RunTransaction): void {
    this.runs.renewLease(tx.run.lease, LEASE_SECONDS, !tx.hasSuspect);
  }

  private async suspend(
    tx: RunTransaction,
    waiting: readonly Place[],
    hasFailed: boolean,
  ): Promise<Progress> {
    if (await this.eventWaits.wakeDelivered(tx, waiting)) return this.stay(tx);
    const dueAt = ({ path }: Place): number => tx.get(path)!.dueAt!;
    const others = waiting.filter(({ step }) => !isTimeoutStep(step));
    const first = others.reduce((a, b) => (dueAt(b) < dueAt(a) ? b : a));
    const { waitReason = 'wait' } = kindOf(first.step);
    const reason = typeof waitReason === 'string' ? waitReason : waitReason(tx.get(first.path)!);
    const { lease } = tx.run;
    const paths = hasFailed ? waiting.map(({ path }) => path) : undefined;
    const at = await this.runs.suspend(lease, reason, paths);
    this.tenants.afterCommit(() => this.wakeUps.wake('run', lease.id, at));
    return 'released';
  }

  private publishChange({ lease }: ClaimedRun): void {
    this.changes.publish(lease.organizationId, resourceChange('runs', lease.id));
  }
}
