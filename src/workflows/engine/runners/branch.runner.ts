import { Injectable } from '@nestjs/common';
import type { HeldRun } from '../../journal/claimed-run.js';
import { type Progress, RunProgress } from '../run-progress.service.js';
import { RunScope } from '../run-scope.service.js';
import type { Place } from '../../definitions/step-engine.js';
import type { BranchStep } from '../../definitions/steps/branch-step.js';
import type { Sharing, StepRunner } from './step-runner.js';

/** Chooses one of two lists. */
@Injectable()
export class BranchRunner implements StepRunner<BranchStep> {
  constructor(
    private readonly progress: RunProgress,
    private readonly scope: RunScope,
  ) {}

  sharing(): Sharing {
    return 'reads';
  }

  async run(held: HeldRun, place: Place<BranchStep>): Promise<Progress> {
    const entry = held.newEntry(place);
    return await this.progress.orFail(held, place, entry, async () => {
      const holds = this.scope.allows(place.step, await this.scope.ofNamed(held, place));
      const output = { branch: holds ? 'then' : 'else' };
      return await this.progress.done(held, { ...entry, status: 'succeeded', output });
    });
  }
}
