import { Injectable } from '@nestjs/common';
import type { SetStep } from '../../definitions/definition.js';
import type { SetOutput } from '../../definitions/steps/set-step.js';
import { type Progress, RunProgressService, type StepAttempt } from '../run-progress.service.js';
import { RunScopeService } from '../run-scope.service.js';
import type { Sharing, StepRunner } from './step-runners.service.js';

@Injectable()
export class SetRunner implements StepRunner<SetStep> {
  readonly kind = 'set';

  constructor(
    private readonly progress: RunProgressService,
    private readonly scope: RunScopeService,
  ) {}

  getSharing(): Sharing {
    return 'reads';
  }

  async run(attempt: StepAttempt<SetStep>): Promise<Progress> {
    const { place } = attempt;
    return await this.progress.attempt(attempt, async (tx, entry) => {
      const vars = await this.scope.renderIfMet(tx, place, place.step.set);
      if (!vars) return undefined;
      return { ...entry, status: 'succeeded', output: { vars } satisfies SetOutput };
    });
  }
}
