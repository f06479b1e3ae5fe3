import { Injectable } from '@nestjs/common';
import { AppError } from '../../../errors/app-error.js';
import { LiquidSandbox } from '../../../liquid/liquid-sandbox.js';
import type { ForEachStep } from '../../definitions/definition.js';
import { MAX_VALUE_BYTES } from '../../../text/value-size.js';
import { renderArguments } from '../../definitions/scope.js';
import {
  type LoopInput,
  loopOutputStep,
  MAX_ITEMS,
} from '../../definitions/steps/for-each-step.js';
import type { SetOutput } from '../../definitions/steps/set-step.js';
import { everyStep } from '../../definitions/steps/step-kinds.js';
import type { ClaimedRun, JournalEntry } from '../../journal/claimed-run.js';
import { RunJournalRepository } from '../../journal/run-journal.repository.js';
import { type Progress, RunProgressService, type StepAttempt } from '../run-progress.service.js';
import { RunScopeService } from '../run-scope.service.js';
import type { StepRunner } from './step-runners.service.js';

/** Limits the steps of a run. Steps in loops count for each item. */
const MAX_RUN_STEPS = 10_000;

@Injectable()
export class ForEachRunner implements StepRunner<ForEachStep> {
  readonly kind = 'for_each';

  constructor(
    private readonly progress: RunProgressService,
    private readonly scope: RunScopeService,
    private readonly journal: RunJournalRepository,
    private readonly liquid: LiquidSandbox,
  ) {}

  async run(attempt: StepAttempt<ForEachStep>): Promise<Progress> {
    const open = attempt.run.get(attempt.place.path);
    return open ? await this.end(attempt, open) : await this.begin(attempt);
  }

  private async begin(attempt: StepAttempt<ForEachStep>): Promise<Progress> {
    const { run, place } = attempt;
    return await this.progress.attempt(attempt, async (tx, entry) => {
      const scope = await this.scope.getScopeIfMet(tx, place);
      if (!scope) return undefined;
      // The list is stored in the journal, so that a worker that takes over the run later has the same list.
      const input: LoopInput = { items: await this.evaluateItems(run, place.step, scope) };
      return { ...entry, input };
    });
  }

  private async evaluateItems(
    run: ClaimedRun,
    step: ForEachStep,
    scope: object,
  ): Promise<unknown[]> {
    const given = { items: step.for_each };
    const { organizationId } = run.lease;
    const { items } = await renderArguments(organizationId, given, scope, this.liquid);
    if (!Array.isArray(items)) throw AppError.invalid('for_each needs a list.');
    if (items.length > MAX_ITEMS) {
      throw AppError.invalid(`for_each got ${items.length} items; the limit is ${MAX_ITEMS}.`);
    }
    const steps = everyStep(step.steps).length + (loopOutputStep(step) ? 1 : 0);
    if (run.stepCount + items.length * steps > MAX_RUN_STEPS) {
      throw AppError.invalid(
        `for_each got ${items.length} items, so the run would have more than ${MAX_RUN_STEPS} steps.`,
      );
    }
    return items;
  }

  private async end(attempt: StepAttempt<ForEachStep>, open: JournalEntry): Promise<Progress> {
    const { run, place } = attempt;
    const { items } = open.input as LoopInput;
    const { organizationId, id } = run.lease;
    const output = loopOutputStep(place.step);
    const last = output?.id ?? place.step.steps.at(-1)!.id;
    const resultOf = (outcome: object | null | undefined): unknown =>
      output && outcome ? (outcome as SetOutput).vars.value : (outcome ?? null);
    const paths = items.map((_, index) => `${place.path}[${index}].${last}`);
    return await this.progress.transaction(attempt, async (tx) => {
      const found = await this.journal.findOutcomes(organizationId, id, paths, MAX_VALUE_BYTES);
      const results =
        'bytes' in found
          ? { results: null, too_large: { results: tooLarge(place.path, found.bytes) } }
          : { results: paths.map((path) => resultOf(found.outcomes.get(path))) };
      const done = { count: items.length, ...results };
      return await this.progress.complete(tx, { ...open, status: 'succeeded', output: done });
    });
  }
}

function tooLarge(path: string, bytes: number): string {
  return `The results of the loop ${path} have ${bytes} bytes, and at most ${MAX_VALUE_BYTES} can be read.`;
}
