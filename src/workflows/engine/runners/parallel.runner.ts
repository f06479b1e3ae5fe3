import { Injectable } from '@nestjs/common';
import type { HeldRun } from '../../journal/claimed-run.js';
import { type Progress, RunProgress } from '../run-progress.service.js';
import { RunScope } from '../run-scope.service.js';
import type { Place } from '../../definitions/step-engine.js';
import type { ParallelStep } from '../../definitions/steps/parallel-step.js';
import type { StepRunner } from './step-runner.js';

/** Opens the lists of steps; the engine finds all that is to be done in them. */
@Injectable()
export class ParallelRunner implements StepRunner<ParallelStep> {
  constructor(
    private readonly progress: RunProgress,
    private readonly scope: RunScope,
  ) {}

  async run(held: HeldRun, place: Place<ParallelStep>): Promise<Progress> {
    const entry = held.newEntry(place);
    return await this.progress.orFail(held, place, entry, async () => {
      const { step } = place;
      const opens =
        step.if === undefined || this.scope.allows(step, await this.scope.of(held, place));
      return await this.progress.done(held, { ...entry, status: opens ? 'succeeded' : 'skipped' });
    });
  }
}
