import { Injectable } from '@nestjs/common';
import { AppError } from '../../../errors/app-error.js';
import type { ForEachStep } from '../../definitions/definition.js';
import { type Iteration, iterationPath, type Place } from '../../definitions/step-engine.js';
import { itemsOf, type LoopInput, loopOutputStep } from '../../definitions/steps/for-each-step.js';
import {
  type LoopProgress,
  type PageProgress,
  progressOf,
} from '../../definitions/steps/loop-progress.js';
import { everyStep } from '../../definitions/steps/step-kinds.js';
import type { JournalEntry } from '../../journal/claimed-run.js';
import { LoopJournalRepository } from '../../journal/loop-journal.repository.js';
import type { RunTransaction } from '../../journal/run-transaction.js';
import { foldedOutput, LoopFoldsService, MAX_RESULTS } from '../loop-folds.service.js';
import { LoopItemsService } from '../loop-items.service.js';
import { type Progress, RunProgressService, type StepAttempt } from '../run-progress.service.js';
import { toStepError } from '../step-error.js';
import type { StepRunner } from './step-runners.service.js';

/** The largest number of rows that the iterations of a loop keep. A loop that could have more is folded. */
const MAX_KEPT_STEPS = 10_000;

/** Begins a loop, folds its finished iterations, continues from page to page, and ends the loop. */
@Injectable()
export class ForEachRunner implements StepRunner<ForEachStep> {
  readonly kind = 'for_each';

  constructor(
    private readonly progress: RunProgressService,
    private readonly items: LoopItemsService,
    private readonly folds: LoopFoldsService,
    private readonly loops: LoopJournalRepository,
  ) {}

  async run(attempt: StepAttempt<ForEachStep>): Promise<Progress> {
    const open = attempt.run.get(attempt.place.path);
    if (!open) return await this.begin(attempt);
    const progress = progressOf(open);
    if (!progress) return await this.endKept(attempt, open);
    const items = itemsOf(open);
    const { done, pages } = progress;
    const end = (pages?.firstItem ?? 0) + items.length;
    const isRead = done === end && pages !== undefined && !pages.isLast;
    return await (isRead
      ? this.turnPage(attempt, open, progress)
      : this.fold(attempt, open, progress, end));
  }

  private async begin(attempt: StepAttempt<ForEachStep>): Promise<Progress> {
    const { place } = attempt;
    return await this.progress.attempt(attempt, async (tx, entry) => {
      if (this.items.isLargeList(tx, place)) return await this.beginLarge(tx, place, entry);
      // The list is stored in the journal, so that a worker that takes over the run later uses the same list.
      const items = place.step.pages ? [] : await this.items.getItems(tx, place);
      if (!items || (place.step.pages && !(await this.items.isMet(tx, place)))) return undefined;
      const begun: JournalEntry = { ...entry, input: { items } satisfies LoopInput };
      if (!isFolded(attempt, items.length)) return begun;
      this.progress.record(tx, begun);
      return this.loops.saveProgress(tx, begun, firstProgress(place.step, items.length));
    });
  }

  /** Begins a loop over a list of the payload that is read page by page. */
  private async beginLarge(
    tx: RunTransaction,
    place: Place<ForEachStep>,
    entry: JournalEntry,
  ): Promise<JournalEntry | undefined> {
    if (!(await this.items.isMet(tx, place))) return undefined;
    const none: PageProgress = { read: 0, firstItem: 0, cursor: 0, isLast: false };
    const { items, pages } = await this.items.getLargePage(tx, place, none, 0);
    const begun: JournalEntry = { ...entry, input: { items } satisfies LoopInput };
    this.progress.record(tx, begun);
    return this.loops.saveProgress(tx, begun, { ...firstProgress(place.step, 0), pages });
  }

  /** Deletes the rows of the iterations that are done, and ends the loop when no iteration is left. */
  private async fold(
    attempt: StepAttempt<ForEachStep>,
    open: JournalEntry,
    before: LoopProgress,
    end: number,
  ): Promise<Progress> {
    const { run, place } = attempt;
    const { path, step } = place;
    return await this.progress.transaction(attempt, async (tx) => {
      let to = before.done;
      while (to < end && run.isDone(`${path}[${to}]`)) to += 1;
      const range = { path, from: before.done, to };
      const after = to > range.from ? await this.folds.fold(tx, step, range, before) : before;
      const entry = this.loops.saveProgress(tx, open, after);
      const hasMore = to < end || (after.pages && !after.pages.isLast);
      if (hasMore) return await this.progress.advance(tx, path);
      const output = foldedOutput(path, after);
      return await this.progress.complete(tx, { ...entry, status: 'succeeded', output });
    });
  }

  /** Stores the items of a page that was read, and deletes the rows of the steps that read the page. */
  private async turnPage(
    attempt: StepAttempt<ForEachStep>,
    open: JournalEntry,
    before: LoopProgress,
  ): Promise<Progress> {
    const { place } = attempt;
    try {
      return await this.progress.transaction(attempt, async (tx) => {
        const { items, pages } = await this.readPage(tx, place, before);
        const entry = { ...open, input: { items } satisfies LoopInput };
        this.progress.record(tx, entry);
        this.loops.saveProgress(tx, entry, { ...before, pages });
        return await this.progress.advance(tx, place.path);
      });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'invalid_arguments') throw error;
      // The progress stays with the entry, so that a retry of the run continues with this page.
      return await this.progress.transaction(attempt, (tx) =>
        this.progress.completeFailed(tx, open, toStepError(error, ''), undefined),
      );
    }
  }

  private async readPage(
    tx: RunTransaction,
    place: Place<ForEachStep>,
    { pages, done }: LoopProgress,
  ): Promise<{ items: unknown[]; pages: PageProgress }> {
    if (!place.step.pages) return await this.items.getLargePage(tx, place, pages!, done);
    const found = await this.items.getPage(tx, place, pages!, done);
    const page: Iteration = { loop: place, index: pages!.read, isPage: true };
    await this.loops.deletePage(tx, iterationPath(page));
    return found;
  }

  private async endKept(attempt: StepAttempt<ForEachStep>, open: JournalEntry): Promise<Progress> {
    const { path, step } = attempt.place;
    const items = itemsOf(open);
    return await this.progress.transaction(attempt, async (tx) => {
      const range = { path, from: 0, to: items.length };
      const output = await this.folds.collect(tx, step, range);
      return await this.progress.complete(tx, { ...open, status: 'succeeded', output });
    });
  }
}

/** Returns true for a loop that keeps no rows of finished iterations. */
function isFolded({ run, place }: StepAttempt<ForEachStep>, count: number): boolean {
  const { step, iterations } = place;
  if (step.pages || count > MAX_RESULTS) return true;
  const isInFolded = iterations.some(({ loop }) => progressOf(run.get(loop.path) ?? {}));
  const steps = everyStep(step.steps).length + (loopOutputStep(step) ? 1 : 0);
  return isInFolded || run.stepCount + count * steps > MAX_KEPT_STEPS;
}

function firstProgress({ pages }: ForEachStep, count: number): LoopProgress {
  return {
    done: 0,
    failed: 0,
    failures: [],
    ...(count <= MAX_RESULTS && { results: [] }),
    ...(pages && { pages: { read: 0, firstItem: 0, cursor: null, isLast: false } }),
  };
}
