import { Injectable } from '@nestjs/common';
import type { FailureStep } from '../../definitions/definition.js';
import type { Failure } from '../../definitions/steps/failure-step.js';
import type { RunTransaction } from '../../journal/run-transaction.js';
import { RunsRepository } from '../../journal/runs.repository.js';
import { type Progress, RunProgressService, type StepAttempt } from '../run-progress.service.js';
import type { StepRunner } from './step-runners.service.js';

/**
 * Records which step has failed, before the steps of `on_failure` begin. The failure step runs alone, when all other
 * steps of the run are done. So a step that fails at the same time cannot change the failure that the steps of
 * `on_failure` see.
 */
@Injectable()
export class FailureRunner implements StepRunner<FailureStep> {
  readonly kind = 'failure';

  constructor(
    private readonly progress: RunProgressService,
    private readonly runs: RunsRepository,
  ) {}

  async run(attempt: StepAttempt<FailureStep>): Promise<Progress> {
    return await this.progress.attempt(attempt, async (tx, entry) => {
      const now = await this.runs.now(attempt.run.lease.organizationId);
      return { ...entry, status: 'succeeded', output: failureOf(tx, now) };
    });
  }
}

function failureOf(tx: RunTransaction, now: Date): Failure {
  const [place] = tx.plan().failed;
  const entry = tx.get(place!.path)!;
  return {
    step: entry.stepId,
    tool: entry.tool,
    error: entry.error,
    failed_at: now.toISOString(),
  };
}
