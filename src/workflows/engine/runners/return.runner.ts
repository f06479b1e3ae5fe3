import { Injectable } from '@nestjs/common';
import { LiquidSandbox } from '../../../liquid/liquid-sandbox.js';
import type { ReturnStep } from '../../definitions/definition.js';
import { renderArguments } from '../../definitions/scope.js';
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
    private readonly liquid: LiquidSandbox,
  ) {}

  getSharing(): Sharing {
    return 'reads';
  }

  async run(attempt: StepAttempt<ReturnStep>): Promise<Progress> {
    const { place, run } = attempt;
    return await this.progress.attempt(attempt, async (tx, entry) => {
      const scope = await this.scope.getScopeIfMet(tx, place);
      if (!scope) return undefined;
      const { organizationId } = run.lease;
      const given = place.step.return;
      const returned = await renderArguments(
        organizationId,
        given,
        scope,
        this.liquid,
        MAX_RETURNED_BYTES,
      );
      return { ...entry, status: 'succeeded', output: { returned } satisfies ReturnOutput };
    });
  }
}
