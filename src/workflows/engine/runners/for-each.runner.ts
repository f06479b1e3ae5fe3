import { Injectable } from '@nestjs/common';
import { AppError } from '../../../errors/app-error.js';
import { LiquidSandbox } from '../../../liquid/liquid-sandbox.js';
import { everyStep } from '../../definitions/definition.js';
import type { HeldRun, JournalEntry } from '../../journal/claimed-run.js';
import { RunJournalRepository } from '../../journal/run-journal.repository.js';
import { type Progress, RunProgress } from '../run-progress.service.js';
import { RunScope } from '../run-scope.service.js';
import { renderArguments } from '../../definitions/scope.js';
import type { Place } from '../../definitions/step-engine.js';
import {
  type ForEachStep,
  type LoopInput,
  MAX_ITEMS,
} from '../../definitions/steps/for-each-step.js';
import type { StepRunner } from './step-runner.js';

/** Most steps that a run takes, those of loops counted for each item. */
const MAX_RUN_STEPS = 10_000;
const MAX_RESULT_BYTES = 256 * 1024;

/** Begins and ends loops; what is in between is for the engine to find. */
@Injectable()
export class ForEachRunner implements StepRunner<ForEachStep> {
  constructor(
    private readonly progress: RunProgress,
    private readonly scope: RunScope,
    private readonly journal: RunJournalRepository,
    private readonly liquid: LiquidSandbox,
  ) {}

  async run(held: HeldRun, place: Place<ForEachStep>): Promise<Progress> {
    const open = held.journal.get(place.path);
    return open ? await this.end(held, place, open) : await this.begin(held, place);
  }

  private async begin(held: HeldRun, place: Place<ForEachStep>): Promise<Progress> {
    const entry = held.newEntry(place);
    return await this.progress.orFail(held, place, entry, async () => {
      const scope = await this.scope.of(held, place);
      if (!this.scope.allows(place.step, scope)) {
        return await this.progress.done(held, { ...entry, status: 'skipped' });
      }
      // Kept in the journal, so that it is the same list for whoever goes on with the run, whatever has changed.
      const input: LoopInput = { items: this.itemsOf(held, place.step, scope) };
      return await this.progress.done(held, { ...entry, input });
    });
  }

  private itemsOf(held: HeldRun, step: ForEachStep, scope: object): unknown[] {
    const { items } = renderArguments({ items: step.for_each }, scope, this.liquid);
    if (!Array.isArray(items)) throw AppError.invalid('for_each did not give a list.');
    if (items.length > MAX_ITEMS) {
      throw AppError.invalid(`for_each gave ${items.length} items; it takes at most ${MAX_ITEMS}.`);
    }
    if (held.steps + items.length * everyStep(step.steps).length > MAX_RUN_STEPS) {
      throw AppError.invalid(
        `for_each gave ${items.length} items, with which the run would take more than ${MAX_RUN_STEPS} steps.`,
      );
    }
    return items;
  }

  private async end(
    held: HeldRun,
    place: Place<ForEachStep>,
    open: JournalEntry,
  ): Promise<Progress> {
    const { items } = open.input as LoopInput;
    const { organizationId, id } = held.lease;
    const last = place.step.steps.at(-1)!.id;
    const paths = items.map((_, index) => `${place.path}[${index}].${last}`);
    return await this.progress.fenced(held, async () => {
      const found = await this.journal.outcomes(organizationId, id, paths, MAX_RESULT_BYTES);
      const results = found ? paths.map((path) => found.get(path) ?? null) : null;
      const output = { count: items.length, results };
      return await this.progress.done(held, { ...open, status: 'succeeded', output });
    });
  }
}
