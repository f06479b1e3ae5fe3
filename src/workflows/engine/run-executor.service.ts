import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { Failpoints } from '../../failpoints/failpoints.js';
import { parseJson } from '../../http/request-body.js';
import type { Step } from '../definitions/definition.js';
import { HeldRun, type RunLease } from '../journal/claimed-run.js';
import { LeaseLost } from '../journal/run-lease.js';
import { type RunContents, RunContentsRepository } from './run-contents.repository.js';
import { RunJournalRepository } from '../journal/run-journal.repository.js';
import { type Progress, RunProgress } from './run-progress.service.js';
import type { Place, Plan } from '../definitions/step-engine.js';
import type { Sharing } from './runners/step-runner.js';
import { StepRunners } from './runners/step-runners.service.js';

/** Steps of one run that are carried out at the same time. */
const MAX_AT_ONCE = 10;
/** How long a step may sleep beside others that are carried out until the database is asked about it. */
const LONGEST_SLEEP_MS = 5000;

/** How many steps share a transaction, and for how long it may take more in: it holds a connection, and the run. */
const MAX_SHARED = 20;
const LONGEST_SHARED_MS = 100;

/** One run while it is carried on. */
interface Work {
  readonly held: HeldRun;
  readonly running: Map<string, Promise<void>>;
  progress: Progress;
  failure?: Error;
  /** A transaction of several steps has failed, and which of them is to blame is found out by one for each. */
  isApart: boolean;
}

/**
 * Carries a run on from where its journal ends. What a step does to the data of the organization, its row in the
 * journal and the check of the lease commit together, so each such step happens exactly once.
 */
@Injectable()
export class RunExecutor {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly contents: RunContentsRepository,
    private readonly journal: RunJournalRepository,
    private readonly progress: RunProgress,
    private readonly runners: StepRunners,
    private readonly failpoints: Failpoints,
  ) {}

  /** Runs steps until the run ends, waits, or is no longer held. */
  async execute(lease: RunLease, signal: AbortSignal): Promise<void> {
    try {
      await this.failpoints.reach('before step transaction', lease.id);
      await this.carryOn(await this.begin(lease, signal));
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
    }
  }

  /** Takes up a run; with its first steps, where these can share a transaction. */
  private async begin(lease: RunLease, signal: AbortSignal): Promise<Work> {
    const { organizationId } = lease;
    const contents = await this.contentsOf(lease);
    try {
      const begun = await this.tenants.transaction(organizationId, async () => {
        // The first to hold a run finds no journal: only who holds it writes one.
        const work = await this.load(lease, signal, contents, lease.epoch > 1);
        if (this.canShare(work, work.held.plan().ready)) {
          work.progress = await this.progress.shared(work.held, () =>
            this.carryOutShared(work.held),
          );
        }
        return work;
      });
      begun.held.settle();
      return begun;
    } catch (error) {
      if (error instanceof LeaseLost || signal.aborted) throw new LeaseLost();
      const again = await this.contentsOf(lease);
      // With its journal: the commit may have come through although nobody was told.
      return await this.tenants.transaction(
        organizationId,
        async () => ({ ...(await this.load(lease, signal, again, true)), isApart: true }),
        { readOnly: true },
      );
    }
  }

  private async contentsOf(lease: RunLease): Promise<RunContents> {
    const contents = await this.contents.find(lease);
    if (!contents) throw new LeaseLost();
    return contents;
  }

  private async load(
    lease: RunLease,
    signal: AbortSignal,
    contents: RunContents,
    isBegun: boolean,
  ): Promise<Work> {
    const content = { ...contents, payload: parseJson(contents.payload) };
    const { organizationId, id } = lease;
    const entries = isBegun ? await this.journal.read(organizationId, id) : [];
    const held = new HeldRun(lease, signal, content, entries);
    return { held, running: new Map(), progress: 'on', isApart: false };
  }

  /** Carries out all that can be, until nothing is left to do here. Never leaves anything in flight behind. */
  private async carryOn(work: Work): Promise<void> {
    const { held } = work;
    for (;;) {
      held.forgetPassed();
      const plan = held.plan();
      if (work.progress === 'on' && !work.failure && !held.signal.aborted) {
        if (this.canShare(work, plan.ready)) {
          await this.share(work);
          continue;
        }
        for (const place of plan.ready) this.start(work, place);
      }
      if (work.running.size > 0) await this.next(work, plan);
      else if (work.failure) throw work.failure;
      else if (work.progress === 'over' || held.signal.aborted) return;
      // It ended, or came to a wait, while something else was still in flight.
      else work.progress = await this.progress.fenced(held, () => this.progress.goOn(held));
    }
  }

  /** Whether what comes next can be followed by more in the same transaction. */
  private canShare({ running, isApart }: Work, ready: readonly Place[]): boolean {
    return !isApart && running.size === 0 && this.onlyOf(ready, ['reads']) !== undefined;
  }

  private onlyOf(ready: readonly Place[], kinds: readonly Sharing[]): Place | undefined {
    const [place] = ready;
    return ready.length === 1 && kinds.includes(this.sharingOf(place!.step)) ? place : undefined;
  }

  private sharingOf(step: Step): Sharing {
    return this.runners.of(step).sharing?.(step) ?? 'alone';
  }

  private async share(work: Work): Promise<void> {
    const { held } = work;
    await this.failpoints.reach('before step transaction', held.lease.id);
    try {
      work.progress = await this.progress.fenced(held, () =>
        this.progress.shared(held, () => this.carryOutShared(held)),
      );
    } catch (error) {
      if (error instanceof LeaseLost || held.signal.aborted) throw new LeaseLost();
      work.isApart = true;
    }
  }

  /**
   * Carries out steps that only read, and the one after them that changes something: a commit for each would cost more
   * than most steps do. Changes are never held back for a step that follows.
   */
  private async carryOutShared(held: HeldRun): Promise<Progress> {
    const endsAt = performance.now() + LONGEST_SHARED_MS;
    let progress: Progress = 'on';
    let sharing: Sharing = 'reads';
    for (let count = 0; progress === 'on' && sharing === 'reads'; count += 1) {
      const place = this.onlyOf(held.planAfter().ready, ['reads', 'changes']);
      if (!place || count === MAX_SHARED || performance.now() > endsAt) break;
      sharing = this.sharingOf(place.step);
      progress = await this.carryOut(held, place);
    }
    return progress;
  }

  private async carryOut(held: HeldRun, place: Place): Promise<Progress> {
    held.inFlight.add(place.path);
    try {
      return await this.runners.of(place.step).run(held, place);
    } finally {
      held.inFlight.delete(place.path);
    }
  }

  private start(work: Work, place: Place): void {
    const { held, running } = work;
    const { path } = place;
    if (running.has(path) || running.size >= MAX_AT_ONCE) return;
    const step = this.carryOut(held, place)
      .then(
        (progress) => {
          if (progress === 'over') work.progress = progress;
        },
        (error: Error) => {
          work.failure ??= error;
          // What else is in flight may end, and be written down, unless it is somebody else's by now.
          if (error instanceof LeaseLost) held.drop();
        },
      )
      .finally(() => {
        running.delete(path);
      });
    running.set(path, step);
  }

  /** Waits until a step has ended, or another one may have to be woken. */
  private async next(work: Work, { asleep }: Plan): Promise<void> {
    const { held, running } = work;
    const times = asleep.map(({ path }) => held.journal.get(path)!.dueAt! - performance.now());
    const sleep = Math.min(LONGEST_SLEEP_MS, ...times);
    let timer: NodeJS.Timeout | undefined;
    const timeUp = new Promise<boolean>((resolve) => {
      if (asleep.length > 0) timer = setTimeout(() => resolve(true), Math.max(0, sleep));
    });
    const isTime = await Promise.race([timeUp, ...running.values()]);
    clearTimeout(timer);
    if (isTime !== true) return;
    await this.refresh(held, asleep).catch((error: Error) => {
      work.failure ??= error;
    });
  }

  private async refresh(held: HeldRun, asleep: readonly Place[]): Promise<void> {
    const { organizationId, id } = held.lease;
    const paths = asleep.map(({ path }) => path);
    held.refresh(
      await this.tenants.transaction(
        organizationId,
        () => this.journal.read(organizationId, id, paths),
        { readOnly: true },
      ),
    );
  }
}
