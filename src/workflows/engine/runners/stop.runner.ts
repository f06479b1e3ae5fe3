import { Injectable } from '@nestjs/common';
import { LiquidSandbox } from '../../../liquid/liquid-sandbox.js';
import type { StopStatus, StopStep } from '../../definitions/definition.js';
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
      if (!scope) return undefined;
      const { stop, reason } = attempt.place.step;
      const { organizationId } = attempt.run.lease;
      const text =
        reason === undefined ? null : await this.renderReason(organizationId, reason, scope);
      return createStopped(entry, stop, text);
    });
  }

  private async renderReason(
    organizationId: string,
    reason: string,
    scope: object,
  ): Promise<string> {
    const given = { text: reason };
    const { text } = await renderArguments(organizationId, given, scope, this.liquid);
    const plain = typeof text === 'string' ? text : JSON.stringify(text);
    return plain.slice(0, MAX_REASON_CHARACTERS);
  }
}

function createStopped(
  entry: JournalEntry,
  status: StopStatus,
  reason: string | null,
): JournalEntry {
  const output = { stopped: status, reason };
  if (status === 'succeeded') return { ...entry, status, output };
  const error = { code: 'stopped', message: reason ?? 'The workflow ends the run here.' };
  return { ...entry, status, output, error };
}
