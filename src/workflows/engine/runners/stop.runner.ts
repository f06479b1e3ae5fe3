import { Injectable } from '@nestjs/common';
import { LiquidSandbox } from '../../../liquid/liquid-sandbox.js';
import type { HeldRun, JournalEntry } from '../../journal/claimed-run.js';
import { type Progress, RunProgress } from '../run-progress.service.js';
import { RunScope } from '../run-scope.service.js';
import { renderArguments } from '../../definitions/scope.js';
import type { Place } from '../../definitions/step-engine.js';
import type { Sharing, StepRunner } from './step-runner.js';
import type { StopStep } from '../../definitions/steps/stop-step.js';

const LONGEST_REASON = 1000;

/** Ends runs as their definition says. */
@Injectable()
export class StopRunner implements StepRunner<StopStep> {
  constructor(
    private readonly progress: RunProgress,
    private readonly scope: RunScope,
    private readonly liquid: LiquidSandbox,
  ) {}

  sharing(): Sharing {
    return 'reads';
  }

  async run(held: HeldRun, place: Place<StopStep>): Promise<Progress> {
    const entry = held.newEntry(place);
    return await this.progress.orFail(held, place, entry, async () => {
      const scope = await this.scope.ofNamed(held, place);
      const isWanted = this.scope.allows(place.step, scope);
      return await this.progress.done(
        held,
        isWanted ? this.stopped(place.step, entry, scope) : { ...entry, status: 'skipped' },
      );
    });
  }

  private stopped({ stop, reason }: StopStep, entry: JournalEntry, scope: object): JournalEntry {
    const text = reason === undefined ? null : this.textOf(reason, scope);
    const output = { stopped: stop, reason: text };
    if (stop === 'succeeded') return { ...entry, status: stop, output };
    const error = { code: 'stopped', message: text ?? 'The workflow ends the run here.' };
    return { ...entry, status: stop, output, error };
  }

  private textOf(reason: string, scope: object): string {
    const { text } = renderArguments({ text: reason }, scope, this.liquid);
    const plain = typeof text === 'string' ? text : JSON.stringify(text);
    return plain.slice(0, LONGEST_REASON);
  }
}
