import { Injectable } from '@nestjs/common';
import { AppError } from '../../errors/app-error.js';
import { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { TRIGGER_CONTACT } from '../definitions/contact-mapping.js';
import { triggerVariable } from '../definitions/trigger-request.js';
import { renderArguments, stepVariable } from '../definitions/scope.js';
import { parsePayload } from '../journal/parse-payload.js';
import { RunStepsRepository, type StepOutcome } from '../journal/run-steps.repository.js';
import type { Run } from '../journal/run.entity.js';
import { RunsRepository } from '../journal/runs.repository.js';
import { OfferedWorkflowsRepository } from '../store/offered-workflows.repository.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';
import type { OfferedRunResult } from './run.results.js';

/** The largest number of bytes of outputs that are read for a template. */
const MAX_SCOPE_BYTES = 4 * 1024 * 1024;
/** The largest rendered template, in bytes, so that the answer of the tool stays below its limit. */
const MAX_TEMPLATE_BYTES = 256 * 1024;

@Injectable()
export class OfferedRunResultsService {
  constructor(
    private readonly offered: OfferedWorkflowsRepository,
    private readonly workflows: WorkflowsRepository,
    private readonly runs: RunsRepository,
    private readonly steps: RunStepsRepository,
    private readonly liquid: LiquidSandbox,
  ) {}

  /**
   * Returns the result of a run that has succeeded: the rendered template of the offered workflow. Without a template,
   * the result is the values of a `return` step, or else the output of the last tool. When the template fails,
   * `message` says so and nothing is thrown, because the run succeeded.
   */
  async of(organizationId: string, run: Run): Promise<OfferedRunResult> {
    const done = { run_id: run.id, status: 'succeeded' } as const;
    const template = (await this.offered.find(organizationId, run.workflowId))?.result;
    if (!template) {
      const returned = await this.steps.returned(run);
      if (returned) return { ...done, output: returned };
      // The generated step that saves the contact of the trigger is left out.
      const output = await this.steps.lastOutput(organizationId, run.id, TRIGGER_CONTACT);
      return { ...done, output: output ?? {} };
    }
    const found = await this.steps.outcomes(organizationId, run.id, MAX_SCOPE_BYTES, {
      hasErrors: true,
    });
    if ('fault' in found) {
      const message = `The result template cannot be filled in, because the outputs and errors of the steps ${found.fault}. Call get_run for them.`;
      return { ...done, message };
    }
    const scope = await this.scope(organizationId, run, found.steps);
    try {
      const output = await renderArguments(
        organizationId,
        template,
        scope,
        this.liquid,
        MAX_TEMPLATE_BYTES,
      );
      return { ...done, output };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const message = `The result template failed: ${error.message} Call get_run for the outputs of the steps.`;
      return { ...done, message };
    }
  }

  private async scope(
    organizationId: string,
    run: Run,
    journal: readonly StepOutcome[],
  ): Promise<object> {
    const steps = journal.map(({ stepId, tool, status, output, error }) => [
      stepId,
      status === 'failed' ? { error } : stepVariable({ tool, output }),
    ]);
    return {
      ...(Object.fromEntries(steps) as object),
      trigger: triggerVariable({
        type: run.triggerType,
        payload: parsePayload(await this.runs.getPayload(organizationId, run.id)),
        createdAt: run.createdAt,
      }),
      run: { id: run.id },
      workflow: {
        id: run.workflowId,
        name: await this.workflows.getName(organizationId, run.workflowId),
      },
    };
  }
}
