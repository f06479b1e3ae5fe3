import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../database/tenant-database.js';
import { parseJson } from '../http/parse-json.js';
import { HeldRun, type RunLease } from './held-run.js';
import { LeaseLost } from './lease-lost.js';
import { RunContentsRepository } from './run-contents.repository.js';
import { RunJournalRepository } from './run-journal.repository.js';
import { type Progress, RunProgress } from './run-progress.service.js';
import type { Place, Plan } from './step-engine.js';
import { StepRunners } from './steps/step-runners.service.js';

/** Steps of one run that are carried out at the same time. */
const MAX_AT_ONCE = 10;
/** How long a step may sleep beside others that are carried out until the database is asked about it. */
const LONGEST_SLEEP_MS = 5000;

/** One run while it is carried on. */
interface Work {
  readonly held: HeldRun;
  readonly running: Map<string, Promise<void>>;
  progress: Progress;
  failure?: Error;
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
  ) {}

  /** Runs steps until the run ends, waits, or is no longer held. */
  async execute(lease: RunLease, signal: AbortSignal): Promise<void> {
    try {
      await this.carryOn(await this.load(lease, signal));
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
    }
  }

  private async load(lease: RunLease, signal: AbortSignal): Promise<HeldRun> {
    const { organizationId, id } = lease;
    return await this.tenants.transaction(
      organizationId,
      async () => {
        const contents = await this.contents.find(organizationId, id);
        if (contents?.run.epoch !== lease.epoch) throw new LeaseLost();
        const content = { ...contents, payload: parseJson(contents.payload) };
        // The first to hold a run finds nothing: only who holds it writes the journal.
        const entries = lease.epoch === 1 ? [] : await this.journal.read(organizationId, id);
        return new HeldRun(lease, signal, content, entries);
      },
      { readOnly: true },
    );
  }

  /** Carries out all that can be, until nothing is left to do here. Never leaves anything in flight behind. */
  private async carryOn(held: HeldRun): Promise<void> {
    const work: Work = { held, running: new Map(), progress: 'on' };
    for (;;) {
      held.forgetPassed();
      const plan = held.plan();
      if (work.progress === 'on' && !work.failure && !held.signal.aborted) {
        for (const place of plan.ready) this.start(work, place);
      }
      if (work.running.size > 0) await this.next(work, plan);
      else if (work.failure) throw work.failure;
      else if (work.progress === 'over' || held.signal.aborted) return;
      // It ended, or came to a wait, while something else was still in flight.
      else work.progress = await this.progress.fenced(held, () => this.progress.goOn(held));
    }
  }

  private start(work: Work, place: Place): void {
    const { held, running } = work;
    const { path } = place;
    if (running.has(path) || running.size >= MAX_AT_ONCE) return;
    held.inFlight.add(path);
    const step = this.runners
      .of(place.step)
      .run(held, place)
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
        held.inFlight.delete(path);
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
