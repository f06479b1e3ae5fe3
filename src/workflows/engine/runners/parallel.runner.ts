import { Injectable } from '@nestjs/common';
import type { ParallelStep } from '../../definitions/definition.js';
import { type Progress, RunProgressService, type StepAttempt } from '../run-progress.service.js';
import { RunScopeService } from '../run-scope.service.js';
import type { StepRunner } from './step-runners.service.js';

/** Opens a parallel step. The engine then runs its lists of steps. */
@Injectable()
export class ParallelRunner implements StepRunner<ParallelStep> {
  readonly kind = 'parallel';

  constructor(
    private readonly progress: RunProgressService,
    private readonly scope: RunScopeService,
  ) {}

  async run(attempt: StepAttempt<ParallelStep>): Promise<Progress> {
    const { step } = attempt.place;
    return await this.progress.attempt(attempt, async (tx, entry) => {
      const isMet =
        step.if === undefined || (await this.scope.getScopeIfMet(tx, attempt.place)) !== undefined;
      return isMet ? { ...entry, status: 'succeeded' } : undefined;
    });
  }
}
