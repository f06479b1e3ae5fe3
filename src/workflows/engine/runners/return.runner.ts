import { Injectable } from '@nestjs/common';
import type { ReturnStep } from '../../definitions/definition.js';
import { MAX_RETURNED_BYTES, type ReturnOutput } from '../../definitions/steps/return-step.js';
import { type Progress, RunProgressService, type StepAttempt } from '../run-progress.service.js';
import { RunScopeService } from '../run-scope.service.js';
import type { Sharing, StepRunner } from './step-runners.service.js';

@Injectable()
export class ReturnRunner implements StepRunner<ReturnStep> {
  readonly kind = 'return';

  constructor(
    private readonly progress: RunProgressService,
    private readonly scope: RunScopeService,
  ) {}

  getSharing(): Sharing {
    return 'reads';
  }

  async run(attempt: StepAttempt<ReturnStep>): Promise<Progress> {
    const { place } = attempt;
    return await this.progress.attempt(attempt, async (tx, entry) => {
      const returned = await this.scope.renderIfMet(
        tx,
        place,
        place.step.return,
        MAX_RETURNED_BYTES,
      );
      if (!returned) return undefined;
      return { ...entry, status: 'succeeded', output: { returned } satisfies ReturnOutput };
    });
  }
}
