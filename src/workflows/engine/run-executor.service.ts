import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { toError } from '../../errors/app-error.js';
import { Failpoints } from '../../failpoints/failpoints.js';
import type { Place, Plan } from '../definitions/step-engine.js';
import { isFailureStep } from '../definitions/steps/failure-step.js';
import { isTimeoutStep } from '../definitions/steps/timeout-step.js';
import { ClaimedRun, StepCanceledError } from '../journal/claimed-run.js';
import { JournalTooLargeError } from '../journal/journal-size.js';
import { LeaseLostError, type RunLease } from '../journal/run-lease.js';
import { RunTransaction } from '../journal/run-transaction.js';
import { RunLoaderService } from './run-loader.service.js';
import { RunMemoryService, type RunReservation } from './run-memory.service.js';
import { type Progress, RunProgressService } from './run-progress.service.js';
import { type Sharing, StepRunnersService } from './runners/step-runners.service.js';

const MAX_AT_ONCE = 10;
/**
 * The longest sleep. While other steps run, the journal is read again after this time, because a wait may have ended
 * early.
 */
const MAX_SLEEP_MS = 5000;
/** The longest sleep when a run waits for nothing but its timeout. No attempt of a step takes longer than this time. */
const MAX_STEP_MS = 300_000;

/**
 * The largest number of steps in a shared transaction. There is a limit, because the transaction occupies a database
 * connection and locks the run.
 */
const MAX_SHARED_STEPS = 20;
const MAX_SHARED_MS = 100;
const MAX_SHARED_BYTES = 8 * 1024 * 1024;

interface Execution {
  readonly run: ClaimedRun;
  readonly running: Map<string, Promise<void>>;
  progress: Progress;
  failure?: Error;
  /** False after a shared transaction has failed. With one transaction per step, only the faulty step fails. */
  mayShare: boolean;
}

/**
 * Executes a claimed run from the point where its journal ends. The effect of a step on the organization's data, its
 * journal row and the check of the lease commit together. So each step changes this data exactly once. When the lease
 * is lost, the signals of running steps abort, and nothing of these steps is stored. The next worker executes them
 * again. The request of a step to another system may then be sent twice, with the same `Idempotency-Key`.
 */
@Injectable()
export class RunExecutorService {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly loader: RunLoaderService,
    private readonly memory: RunMemoryService,
    private readonly progress: RunProgressService,
    private readonly runners: StepRunnersService,
    private readonly failpoints: Failpoints,
  ) {}

  /**
   * Runs steps until the run ends or waits, or the lease is lost because another worker has the run. Throws
   * `rate_limited` when the process has no free memory for the journal. Then the run must be claimed again later.
   */
  async execute(lease: RunLease, signal: AbortSignal): Promise<void> {
    const memory = this.memory.reserve(lease.organizationId);
    try {
      await this.failpoints.reach('before step transaction', lease.id);
      await this.runSteps(await this.begin(lease, signal, memory), memory);
    } catch (error) {
      if (!(error instanceof LeaseLostError)) throw error;
    } finally {
      memory.end();
    }
  }

  /** Loads a run. Runs its first steps in the same transaction, if they can share it. */
  private async begin(
    lease: RunLease,
    signal: AbortSignal,
    memory: RunReservation,
  ): Promise<Execution> {
    const { organizationId } = lease;
    const data = await this.loader.getData(lease);
    if (data.definitionError) {
      const execution = executionOf(new ClaimedRun(lease, signal, data, []));
      execution.progress = await this.progress.endTooLarge(execution.run, data.definitionError);
      return execution;
    }
    let largeBytes: number;
    try {
      const work = async (): Promise<{ execution: Execution; tx: RunTransaction } | number> => {
        // At the first claim the journal is empty, because only workers with a lease write to it.
        const run = await this.loader.loadSmall(lease, signal, data, lease.epoch > 1);
        if (typeof run === 'number') return run;
        const begun = executionOf(run);
        const first = new RunTransaction(run, true);
        if (this.canShare(begun, run.plan().ready)) {
          begun.progress = await this.progress.runShared(first, (shared) =>
            this.runSharedSteps(shared),
          );
        }
        return { execution: begun, tx: first };
      };
      // The first transaction of a run needs no fence: its last statement checks the lease.
      const begun = await this.tenants.transaction(organizationId, work, { sharesCommit: true });
      if (typeof begun !== 'number') {
        begun.tx.apply();
        return begun.execution;
      }
      largeBytes = begun;
    } catch (error) {
      if (error instanceof LeaseLostError || signal.aborted) throw new LeaseLostError();
      const dataAgain = await this.loader.getData(lease);
      // The journal is read even at the first claim: the transaction above may have been committed, although this
      // worker got an error instead of the confirmation.
      const run = await this.tenants.transaction(
        organizationId,
        () => this.loader.loadSmall(lease, signal, dataAgain, true),
        { readOnly: true },
      );
      const again =
        typeof run === 'number'
          ? await this.beginLarge(lease, signal, run, memory)
          : executionOf(run);
      again.mayShare = false;
      return again;
    }
    return await this.beginLarge(lease, signal, largeBytes, memory);
  }

  private async beginLarge(
    lease: RunLease,
    signal: AbortSignal,
    bytes: number,
    memory: RunReservation,
  ): Promise<Execution> {
    const { run, isTooLarge } = await this.loader.loadLarge(lease, signal, bytes, memory);
    const execution = executionOf(run);
    if (isTooLarge) execution.progress = await this.progress.endTooLarge(run);
    return execution;
  }

  /** Runs all steps that can run in this worker. When it returns or throws, no step is running. */
  private async runSteps(execution: Execution, memory: RunReservation): Promise<void> {
    const { run, running } = execution;
    for (;;) {
      run.forgetDoneIterations();
      this.checkMemory(execution, memory);
      const plan = run.plan();
      if (execution.progress === 'continues' && !execution.failure && !run.signal.aborted) {
        if (this.canShare(execution, plan.ready)) {
          await this.shareTransaction(execution);
          continue;
        }
        for (const place of plan.ready) this.start(execution, place);
      }
      if (running.size > 0) await this.waitForStep(execution, plan);
      else if (execution.failure) throw execution.failure;
      else if (execution.progress === 'released' || run.signal.aborted) return;
      // No step is ready or running, but the end or the wait of the run is not recorded. The last step ended without a
      // record, for example because a race canceled it.
      else {
        execution.progress = await this.progress.transaction({ run }, (tx) =>
          this.progress.advance(tx),
        );
      }
    }
  }

  /** Makes `execute` throw after the running steps have ended, when the process has no free memory for the journal. */
  private checkMemory(execution: Execution, memory: RunReservation): void {
    if (execution.progress === 'released' || execution.failure) return;
    try {
      memory.grow(execution.run.bytes);
    } catch (error) {
      execution.failure = toError(error);
    }
  }

  /** Returns true when the next step only reads, so that the steps after it can run in the same transaction. */
  private canShare({ running, mayShare }: Execution, ready: readonly Place[]): boolean {
    return mayShare && running.size === 0 && this.findOnlyStep(ready, ['reads']) !== undefined;
  }

  /** Returns the ready step if there is only one, and if `kinds` contains its way of sharing a transaction. */
  private findOnlyStep(ready: readonly Place[], kinds: readonly Sharing[]): Place | undefined {
    const [place] = ready;
    if (!place || ready.length > 1) return undefined;
    return kinds.includes(this.runners.getSharing(place.step)) ? place : undefined;
  }

  private async shareTransaction(execution: Execution): Promise<void> {
    const { run } = execution;
    await this.failpoints.reach('before step transaction', run.lease.id);
    try {
      execution.progress = await this.progress.sharedTransaction(run, (shared) =>
        this.runSharedSteps(shared),
      );
    } catch (error) {
      if (error instanceof LeaseLostError || run.signal.aborted) throw new LeaseLostError();
      execution.mayShare = false;
    }
  }

  /**
   * Runs steps that only read, and at most one step after them that writes. A commit per step would cost more than most
   * steps. A write is committed immediately, and never waits for a later step.
   */
  private async runSharedSteps(shared: RunTransaction): Promise<Progress> {
    const endsAt = performance.now() + MAX_SHARED_MS;
    let progress: Progress = 'continues';
    let sharing: Sharing = 'reads';
    for (let count = 0; progress === 'continues' && sharing === 'reads'; count += 1) {
      const place = this.findOnlyStep(shared.plan().ready, ['reads', 'changes']);
      if (!place || count === MAX_SHARED_STEPS || performance.now() > endsAt) break;
      // Entries inside finished iterations are dropped from memory only between transactions.
      if (shared.addedBytes > MAX_SHARED_BYTES) break;
      sharing = this.runners.getSharing(place.step);
      progress = await this.runStep(shared.run, place, shared);
    }
    return progress;
  }

  private async runStep(run: ClaimedRun, place: Place, shared?: RunTransaction): Promise<Progress> {
    run.beginStep(place.path);
    try {
      return await this.runners.getRunner(place.step).run({ run, place, shared });
    } catch (error) {
      if (error instanceof StepCanceledError) return 'continues';
      if (error instanceof JournalTooLargeError) {
        return await this.progress.failTooLarge({ run, place, shared }, error);
      }
      throw error;
    } finally {
      run.endStep(place.path);
    }
  }

  private start(execution: Execution, place: Place): void {
    const { run, running } = execution;
    const { path } = place;
    if (running.has(path) || running.size >= MAX_AT_ONCE) return;
    if (isFailureStep(place.step) && running.size > 0) return;
    const step = this.runStep(run, place)
      .then(
        (progress) => {
          if (progress === 'released') execution.progress = progress;
        },
        (error: Error) => {
          execution.failure ??= error;
          // Other running steps may finish and be recorded, unless another worker has claimed the run.
          if (error instanceof LeaseLostError) run.abandon();
        },
      )
      .finally(() => {
        running.delete(path);
      });
    running.set(path, step);
  }

  private async waitForStep(execution: Execution, { waiting }: Plan): Promise<void> {
    const { run, running } = execution;
    const times = waiting.map(({ path }) => run.get(path)!.dueAt! - performance.now());
    // The timeout of a run never ends early. While nothing else waits, the journal need not be read again until then.
    const mayEndEarly = waiting.some(({ step }) => !isTimeoutStep(step));
    const sleepMs = Math.max(0, Math.min(mayEndEarly ? MAX_SLEEP_MS : MAX_STEP_MS, ...times));
    let timer: NodeJS.Timeout | undefined;
    const timeUp = new Promise<boolean>((resolve) => {
      if (waiting.length > 0) timer = setTimeout(() => resolve(true), sleepMs);
    });
    const isTimeUp = await Promise.race([timeUp, ...running.values()]);
    clearTimeout(timer);
    if (isTimeUp !== true) return;
    await this.loader.refresh(run, waiting).catch((error: Error) => {
      execution.failure ??= error;
    });
  }
}

function executionOf(run: ClaimedRun): Execution {
  return { run, running: new Map(), progress: 'continues', mayShare: true };
}
