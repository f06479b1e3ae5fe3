import { Injectable } from '@nestjs/common';
import {
  Completion,
  type CompletionCall,
  MAX_COMPLETIONS,
} from '../../completions/completion.decorator.js';
import { AppError } from '../../errors/app-error.js';
import { CAUTION, dataMessage } from '../../prompts/data-message.js';
import { Prompt, type PromptResult } from '../../prompts/prompt.decorator.js';
import type { ToolCall } from '../../tools/contract/tool-call.js';
import { stepsView } from '../definitions/steps/failure-step.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';
import { RunSearchRepository } from './run-search.repository.js';
import { RunIdInput } from './run.inputs.js';
import { RunsService } from './runs.service.js';

const MAX_RUN_CHARACTERS = 48_000;
const MAX_DEFINITION_CHARACTERS = 16_000;

@Injectable()
export class RunPrompts {
  constructor(
    private readonly runs: RunsService,
    private readonly search: RunSearchRepository,
    private readonly workflows: WorkflowsRepository,
  ) {}

  @Completion({ resource: 'switchboard://runs/{run_id}', argument: 'run_id', needs: ['list_runs'] })
  completeRunId(text: string, { organizationId }: CompletionCall): Promise<string[]> {
    return this.search.idsStartingWith(organizationId, text, undefined, MAX_COMPLETIONS + 1);
  }

  @Completion({
    resource: 'switchboard://runs/{run_id}/steps/{step_id}/{value}/{cursor}',
    argument: 'run_id',
    needs: ['list_runs'],
  })
  completeRunIdOfValue(text: string, call: CompletionCall): Promise<string[]> {
    return this.completeRunId(text, call);
  }

  @Completion({ prompt: 'explain_failed_run', argument: 'run_id', needs: ['list_runs'] })
  completeFailedRunId(text: string, { organizationId }: CompletionCall): Promise<string[]> {
    return this.search.idsStartingWith(organizationId, text, 'failed', MAX_COMPLETIONS + 1);
  }

  @Prompt({
    name: 'explain_failed_run',
    title: 'Explain why a run failed',
    description:
      'Reads the journal of a failed run and the definition that it followed, and explains what went wrong ' +
      'and how to correct it.',
    needs: ['get_run', 'get_workflow'],
  })
  async explain({ run_id: id }: RunIdInput, call: ToolCall): Promise<PromptResult> {
    const { organizationId } = call;
    const { run } = await this.runs.get(organizationId, id.trim());
    if (run.status !== 'failed') {
      throw AppError.invalid(`This run has not failed: it is ${run.status}. Choose a failed run.`);
    }
    const { workflow_id: workflowId, workflow_version: version } = run;
    const steps = await this.workflows.getSteps(organizationId, workflowId, version);
    const uri = `switchboard://runs/${run.id}`;
    const definition = `switchboard://workflows/${workflowId}/versions/${version}`;
    return {
      description: `Explains the run ${run.id}.`,
      messages: [
        { role: 'user', content: { type: 'text', text: task(run.id, uri, definition) } },
        dataMessage(uri, run, MAX_RUN_CHARACTERS),
        dataMessage(definition, stepsView(steps), MAX_DEFINITION_CHARACTERS),
      ],
    };
  }
}

function task(id: string, uri: string, definition: string): string {
  return [
    `Explain why the run of a workflow that is attached as ${uri} failed, so that somebody who did not build the ` +
      `workflow understands it. The steps that it followed are attached as ${definition}.`,
    [
      '1. Find the step that ended it: reason is "step_failed:<step id>", "stopped:<step id>" where the workflow ' +
        'itself ends its runs, "timed_out" when the run passed its timeout, or "poison" when three workers died at it. ' +
        'Its error has a code, a message and often details with the path of each wrong argument.',
      '2. Compare the input that the step got with its arguments in the definition, and follow each wrong value back ' +
        'to where it came from: the payload of the trigger, the contact, or the output of an earlier step.',
      '3. Tell me in a few sentences what happened and why, naming the step and quoting the value that was ' +
        'wrong. Say whether the cause is the payload, the definition, the data of a contact, or an external ' +
        'system that may work again later. Say so when the log does not show the cause, instead of guessing.',
      '4. Propose how to correct it. For a wrong definition: update_workflow, then retry_run with version ' +
        '"latest". For wrong data: correct the data, then retry_run ' +
        `with run_id "${id}", which continues from the failed step. For an external system that works again: ` +
        'only this retry_run. For a wrong payload: its sender must correct it.',
      '5. Change and retry nothing until I agree.',
    ].join('\n'),
    CAUTION,
  ].join('\n\n');
}
