import { Injectable } from '@nestjs/common';
import { LiquidSandbox } from '../../../liquid/liquid-sandbox.js';
import type { StopStep } from '../../definitions/definition.js';
import { renderArguments } from '../../definitions/scope.js';
import type { JournalEntry } from '../../journal/claimed-run.js';
import { type Progress, RunProgressService, type StepAttempt } from '../run-progress.service.js';
import { RunScopeService } from '../run-scope.service.js';
import type { Sharing, StepRunner } from './step-runners.service.js';

const MAX_REASON_CHARACTERS = 1000;

@Injectable()
export class StopRunner implements StepRunner<StopStep> {
  readonly kind = 'stop';

  constructor(
    private readonly progress: RunProgressService,
    private readonly scope: RunScopeService,
    private readonly liquid: LiquidSandbox,
  ) {}

  getSharing(): Sharing {
    return 'reads';
  }

  async run(attempt: StepAttempt<StopStep>): Promise<Progress> {
    return await this.progress.attempt(attempt, async (tx, entry) => {
      const scope = await this.scope.getScopeIfMet(tx, attempt.place);
      return scope && this.stop(attempt.place.step, entry, scope);
    });
  }

  private stop({ stop, reason }: StopStep, entry: JournalEntry, scope: object): JournalEntry {
    const text = reason === undefined ? null : this.renderReason(reason, scope);
    const output = { stopped: stop, reason: text };
    if (stop === 'succeeded') return { ...entry, status: stop, output };
    const error = { code: 'stopped', message: text ?? 'The workflow ends the run here.' };
    return { ...entry, status: stop, output, error };
  }

  private renderReason(reason: string, scope: object): string {
    const { text } = renderArguments({ text: reason }, scope, this.liquid);
    const plain = typeof text === 'string' ? text : JSON.stringify(text);
    return plain.slice(0, MAX_REASON_CHARACTERS);
  }
}
