import { Injectable } from '@nestjs/common';
import { MAX_VALUE_BYTES } from '../../text/value-size.js';
import type { ForEachStep } from '../definitions/definition.js';
import { loopOutputStep } from '../definitions/steps/for-each-step.js';
import type { LoopProgress } from '../definitions/steps/loop-progress.js';
import type { SetOutput } from '../definitions/steps/set-step.js';
import {
  type IterationRange,
  LoopJournalRepository,
  MAX_ITEM_FAILURES,
} from '../journal/loop-journal.repository.js';
import { RunJournalRepository } from '../journal/run-journal.repository.js';
import type { RunTransaction } from '../journal/run-transaction.js';

/** The largest number of results of a loop. A loop over more items has no `results`. */
export const MAX_RESULTS = 1000;

/** The result of a loop, as later steps see it. */
export interface LoopOutput {
  count: number;
  failed: number;
  results: readonly unknown[] | null;
  failures: LoopProgress['failures'];
  too_large?: object;
}

/** Collects the failures and results of the iterations of a loop. Call it in a fenced transaction of the run. */
@Injectable()
export class LoopFoldsService {
  constructor(
    private readonly journal: RunJournalRepository,
    private readonly loops: LoopJournalRepository,
  ) {}

  /** Deletes the rows of finished iterations, and returns the progress with their failures and results. */
  async fold(
    tx: RunTransaction,
    step: ForEachStep,
    range: IterationRange,
    before: LoopProgress,
  ): Promise<LoopProgress> {
    const results = before.results && (await this.addResults(tx, step, range, before.results));
    const { failed, failures } = await this.loops.fold(tx, range);
    const { results: _, ...others } = before;
    return {
      ...others,
      done: range.to,
      failed: before.failed + failed,
      failures: [...before.failures, ...failures].slice(0, MAX_ITEM_FAILURES),
      ...(results && { results }),
    };
  }

  /** Returns the result of a loop that has kept the rows of its iterations. */
  async collect(tx: RunTransaction, step: ForEachStep, range: IterationRange): Promise<LoopOutput> {
    const found = await this.findResults(tx, step, range, MAX_VALUE_BYTES);
    const { failed, failures } = await this.loops.findFailures(tx, range);
    const results =
      'bytes' in found
        ? { results: null, too_large: { results: tooManyBytes(range.path, found.bytes) } }
        : { results: found };
    return { count: range.to, failed, ...results, failures };
  }

  private async addResults(
    tx: RunTransaction,
    step: ForEachStep,
    range: IterationRange,
    before: readonly unknown[],
  ): Promise<readonly unknown[] | undefined> {
    if (range.to > MAX_RESULTS) return undefined;
    const left = MAX_VALUE_BYTES - Buffer.byteLength(JSON.stringify(before));
    const found = await this.findResults(tx, step, range, left);
    return 'bytes' in found ? undefined : [...before, ...found];
  }

  private async findResults(
    tx: RunTransaction,
    step: ForEachStep,
    { path, from, to }: IterationRange,
    maxBytes: number,
  ): Promise<unknown[] | { bytes: number }> {
    const { organizationId, id } = tx.run.lease;
    const output = loopOutputStep(step);
    const last = output?.id ?? step.steps.at(-1)!.id;
    const paths = Array.from({ length: to - from }, (_, at) => `${path}[${from + at}].${last}`);
    const found = await this.journal.findOutcomes(organizationId, id, paths, maxBytes);
    if ('bytes' in found) return found;
    return paths.map((one) => {
      const outcome = found.outcomes.get(one) ?? null;
      return output && outcome ? (outcome as SetOutput).vars.value : outcome;
    });
  }
}

/** Returns the result of a loop whose iterations are folded. */
export function foldedOutput(path: string, progress: LoopProgress): LoopOutput {
  const { done: count, failed, failures, results = null } = progress;
  const message =
    count > MAX_RESULTS
      ? `The loop ${path} has ${count} items, and at most ${MAX_RESULTS} results are kept.`
      : `The results of the loop ${path} have more than the ${MAX_VALUE_BYTES} bytes that can be read.`;
  return {
    count,
    failed,
    results,
    failures,
    ...(results === null && { too_large: { results: message } }),
  };
}

function tooManyBytes(path: string, bytes: number): string {
  return `The results of the loop ${path} have ${bytes} bytes, and at most ${MAX_VALUE_BYTES} can be read.`;
}
