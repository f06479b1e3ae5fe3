import { Injectable } from '@nestjs/common';
import type { BranchStep } from '../../definitions/definition.js';
import { type Progress, RunProgressService, type StepAttempt } from '../run-progress.service.js';
import { RunScopeService } from '../run-scope.service.js';
import type { Sharing, StepRunner } from './step-runners.service.js';

@Injectable()
export class BranchRunner implements StepRunner<BranchStep> {
  readonly kind = 'branch';

  constructor(
    private readonly progress: RunProgressService,
    private readonly scope: RunScopeService,
  ) {}

  getSharing(): Sharing {
    return 'reads';
  }

  async run(attempt: StepAttempt<BranchStep>): Promise<Progress> {
    return await this.progress.attempt(attempt, async (tx, entry) => {
      const scope = await this.scope.getScope(tx, attempt.place);
      const isMet = await this.scope.isConditionMet(tx, attempt.place.step, scope);
      const output = { branch: isMet ? 'then' : 'else' };
      return { ...entry, status: 'succeeded', output };
    });
  }
}
