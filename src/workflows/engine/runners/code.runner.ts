import { Injectable } from '@nestjs/common';
import { CodeSandbox } from '../../../code/code-sandbox.js';
import { LiquidSandbox } from '../../../liquid/liquid-sandbox.js';
import { isJsonObject } from '../../../text/is-json-object.js';
import type { CodeStep } from '../../definitions/definition.js';
import { renderArguments } from '../../definitions/scope.js';
import { CODE } from '../../definitions/steps/code-step.js';
import { type JournalEntry, StepCanceledError } from '../../journal/claimed-run.js';
import { LeaseLostError } from '../../journal/run-lease.js';
import { RunsRepository } from '../../journal/runs.repository.js';
import { type Progress, RunProgressService, type StepAttempt } from '../run-progress.service.js';
import { RunScopeService } from '../run-scope.service.js';
import { codeTimeoutOf } from '../step-timeout.js';
import type { StepRunner } from './step-runners.service.js';

/**
 * Runs the code of a step. No transaction is open while the code runs, because the code may wait for a thread. The code
 * has no side effects, so a worker that takes over the run repeats it.
 */
@Injectable()
export class CodeRunner implements StepRunner<CodeStep> {
  readonly kind = 'code';

  constructor(
    private readonly progress: RunProgressService,
    private readonly runs: RunsRepository,
    private readonly scope: RunScopeService,
    private readonly liquid: LiquidSandbox,
    private readonly code: CodeSandbox,
  ) {}

  async run(attempt: StepAttempt<CodeStep>): Promise<Progress> {
    const { run, place } = attempt;
    const entry = run.newEntry(place, CODE);
    entry.attempts = (run.get(place.path)?.attempts ?? 0) + 1;
    try {
      return await this.runCode(attempt, entry);
    } catch (error) {
      if (error instanceof StepCanceledError) throw error;
      if (error instanceof LeaseLostError || run.signal.aborted) throw new LeaseLostError();
      return await this.progress.fail(attempt, entry, error);
    }
  }

  private async runCode(attempt: StepAttempt<CodeStep>, entry: JournalEntry): Promise<Progress> {
    const { run, place } = attempt;
    const { code, input: given = {}, timeout } = place.step;
    const { organizationId } = run.lease;
    const prepared = await this.progress.transaction(attempt, async (tx) => {
      const scope = await this.scope.getScopeIfMet(tx, place);
      if (!scope) return await this.progress.complete(tx, { ...entry, status: 'skipped' });
      const input = await renderArguments(organizationId, given, scope, this.liquid);
      return { input, now: await this.runs.now(organizationId) };
    });
    if (typeof prepared === 'string') return prepared;
    const { input, now } = prepared;
    entry.input = input;
    const seconds = codeTimeoutOf(timeout);
    const signal = run.signalOf(place.path);
    const json = await this.code.run(organizationId, { code, input, now, seconds, signal });
    const output = outputOf(JSON.parse(json) as unknown);
    return await this.progress.transaction(attempt, (tx) =>
      this.progress.complete(tx, { ...entry, status: 'succeeded', output }),
    );
  }
}

/**
 * Returns the output of the step. An output is an object or null, so any other value becomes the member `value` of an
 * object.
 */
function outputOf(value: unknown): object | null {
  return value === null || isJsonObject(value) ? value : { value };
}
