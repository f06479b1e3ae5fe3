import { Injectable } from '@nestjs/common';
import { LiquidSandbox } from '../../../liquid/liquid-sandbox.js';
import type { WaitStep } from '../../definitions/definition.js';
import { RunsRepository } from '../../journal/runs.repository.js';
import { type Progress, RunProgressService, type StepAttempt } from '../run-progress.service.js';
import { RunScopeService } from '../run-scope.service.js';
import { computeWaitEnd, toWaiting } from '../wait-times.js';
import type { StepRunner } from './step-runners.service.js';

@Injectable()
export class WaitRunner implements StepRunner<WaitStep> {
  readonly kind = 'wait';

  constructor(
    private readonly progress: RunProgressService,
    private readonly scope: RunScopeService,
    private readonly runs: RunsRepository,
    private readonly liquid: LiquidSandbox,
  ) {}

  async run(attempt: StepAttempt<WaitStep>): Promise<Progress> {
    const { run, place } = attempt;
    const { organizationId } = run.lease;
    const entry = run.get(place.path);
    if (!entry) return await this.begin(attempt);
    return await this.progress.transaction(attempt, async (tx) => {
      const wakeAt = entry.wakeAt!;
      const now = await this.runs.now(organizationId);
      // The database clock decides whether the wait is over. The clock of this process may be ahead of the database
      // clock.
      const isOver = wakeAt.getTime() <= now.getTime();
      return await this.progress.complete(
        tx,
        isOver ? { ...entry, status: 'succeeded' } : toWaiting(entry, wakeAt, now),
      );
    });
  }

  private async begin(attempt: StepAttempt<WaitStep>): Promise<Progress> {
    const { run, place } = attempt;
    return await this.progress.attempt(attempt, async (tx, entry) => {
      const scope = await this.scope.getScopeIfMet(tx, place, true);
      if (!scope) return undefined;
      const now = await this.runs.now(run.lease.organizationId);
      const { organizationId } = run.lease;
      const given = { organizationId, wait: place.step.wait, scope, now };
      const { at, timezone } = await computeWaitEnd(given, this.liquid);
      const output = { until: at.toISOString(), ...(timezone !== undefined && { timezone }) };
      return toWaiting({ ...entry, output }, at, now);
    });
  }
}
