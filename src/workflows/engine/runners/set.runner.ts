import { Injectable } from '@nestjs/common';
import { LiquidSandbox } from '../../../liquid/liquid-sandbox.js';
import type { SetStep } from '../../definitions/definition.js';
import { renderArguments } from '../../definitions/scope.js';
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
    private readonly liquid: LiquidSandbox,
  ) {}

  getSharing(): Sharing {
    return 'reads';
  }

  async run(attempt: StepAttempt<SetStep>): Promise<Progress> {
    const { place, run } = attempt;
    return await this.progress.attempt(attempt, async (tx, entry) => {
      const scope = await this.scope.getScopeIfMet(tx, place);
      if (!scope) return undefined;
      const { organizationId } = run.lease;
      const vars = await renderArguments(organizationId, place.step.set, scope, this.liquid);
      return { ...entry, status: 'succeeded', output: { vars } satisfies SetOutput };
    });
  }
}
