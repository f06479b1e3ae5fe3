import { Injectable } from '@nestjs/common';
import { AppError } from '../../errors/app-error.js';
import { RateLimiter } from '../../http/rate-limiter.js';
import { Resource } from '../../resources/resource.decorator.js';
import { signatureMask } from '../../policies/hidden-signatures.js';
import type { ToolCall } from '../../tools/contract/tool-call.js';
import { Tool } from '../../tools/contract/tool.decorator.js';
import { ContactView } from '../../contacts/contact.results.js';
import { ManualStartsService } from '../triggers/manual-starts.service.js';
import { EditedPayloadsService } from './edited-payloads.service.js';
import { RunContactsService } from './run-contacts.service.js';
import { RunControlService } from './run-control.service.js';
import { runFilter } from './run-filter.js';
import { RunTasksService } from './run-tasks.service.js';
import {
  GetRunInput,
  GetRunValueInput,
  ListRunsInput,
  ReplayRunInput,
  RetryRunInput,
  RunIdInput,
  SetRunContactInput,
  TriggerWorkflowInput,
} from './run.inputs.js';
import {
  RunContactResult,
  RunPage,
  RunResult,
  RunStepsResult,
  RunValueResult,
  TriggeredRunResult,
} from './run.results.js';
import { RunsService } from './runs.service.js';

@Injectable()
export class RunTools {
  constructor(
    private readonly runs: RunsService,
    private readonly starts: ManualStartsService,
    private readonly control: RunControlService,
    private readonly contacts: RunContactsService,
    private readonly payloads: EditedPayloadsService,
    private readonly limiter: RateLimiter,
  ) {}

  @Tool({
    name: 'trigger_workflow',
    title: 'Start a workflow',
    description:
      'Starts a run of an active workflow and returns its run_id at once. Call get_run for its result. A ' +
      'chain of runs that start each other has at most 8.',
    output: TriggeredRunResult,
    task: RunTasksService,
  })
  async trigger(input: TriggerWorkflowInput, call: ToolCall): Promise<TriggeredRunResult> {
    if (input.contact_id !== undefined && input.email !== undefined) {
      throw AppError.invalid('Give contact_id or email, not both.', [
        { path: 'email', message: 'must not be given together with contact_id' },
      ]);
    }
    const runId = await this.starts.start(call.organizationId, {
      workflowId: input.workflow_id,
      payload: input.payload ?? {},
      contactId: input.contact_id,
      email: input.email,
      parentRunId: call.runId,
    });
    return { run_id: runId };
  }

  @Tool({
    name: 'get_run',
    title: 'Get a run',
    description:
      'Returns one run: its state and, step by step in order of execution, status, attempts, input, output, error ' +
      'and times.',
    output: RunStepsResult,
    readOnly: true,
  })
  @Resource({
    uri: 'switchboard://runs/{run_id}',
    name: 'run',
    title: 'Run',
    description: 'One run of a workflow with the log of its steps, as get_run returns it.',
  })
  async get(input: GetRunInput, call: ToolCall): Promise<RunStepsResult> {
    return await this.runs.get(call.organizationId, input.run_id, input.cursor);
  }

  @Tool({
    name: 'get_run_value',
    title: 'Get a value of a run',
    description:
      'Returns a part of a value that get_run cuts: the payload, or a value of a step. The part is JSON text.',
    output: RunValueResult,
    readOnly: true,
    // Agents read a resource with the same content instead, so their list of tools stays short.
    surfaces: ['dashboard'],
  })
  @Resource({
    uri: 'switchboard://runs/{run_id}/steps/{step_id}/{value}/{cursor}',
    name: 'run_value',
    title: 'Part of a large value of a run',
    description:
      'A part of the JSON text of a value that get_run cuts: the input, output, error or failed_attempts of a step, or ' +
      'the payload (step "trigger"). The first cursor is 0.',
    // Agents do not know the tool of this resource, so a policy for get_run must be enough.
    needs: ['get_run'],
  })
  async getValue(input: GetRunValueInput, call: ToolCall): Promise<RunValueResult> {
    const mask = signatureMask(call.restriction);
    return mask
      ? await this.runs.getValueWithoutSignatures(call.organizationId, input, mask)
      : await this.runs.getValue(call.organizationId, input);
  }

  @Tool({
    name: 'list_runs',
    title: 'List runs',
    description:
      'Returns runs, newest first. Payload, inputs and outputs are left out; get_run has them.',
    output: RunPage,
    readOnly: true,
  })
  @Resource({
    uri: 'switchboard://runs',
    name: 'runs',
    title: 'Newest runs',
    description: 'The 20 newest runs of all workflows, as list_runs returns them.',
  })
  async list(input: ListRunsInput, call: ToolCall): Promise<RunPage> {
    return await this.runs.list(call.organizationId, runFilter(input), input);
  }

  @Tool({
    name: 'cancel_run',
    title: 'Cancel a run',
    description: 'Cancels a run that has not ended. Finished steps are not undone.',
    output: RunResult,
    destructive: true,
  })
  async cancel(input: RunIdInput, call: ToolCall): Promise<RunResult> {
    await this.control.cancel(call.organizationId, input.run_id);
    return await this.show(input.run_id, call);
  }

  @Tool({
    name: 'retry_run',
    title: 'Retry a run',
    description:
      'Continues a failed or canceled run from the step that failed. Steps that succeeded are not repeated.',
    output: RunResult,
  })
  async retry(input: RetryRunInput, call: ToolCall): Promise<RunResult> {
    const { organizationId, runId } = call;
    // The rate limit counts the calls of agents and people when their requests arrive. It counts the calls of runs
    // here.
    if (runId !== undefined) this.limiter.consume(organizationId, 1);
    await this.control.retry(organizationId, input.run_id, input.version, runId);
    return await this.show(input.run_id, call);
  }

  @Tool({
    name: 'replay_run',
    title: 'Replay a run',
    description:
      'Starts a copy of an earlier run, with its payload, contact and type of trigger. All steps are executed again. ' +
      'A given payload replaces that of the run.',
    output: RunResult,
    // Agents cannot call this tool, so that their list of tools stays short. Agents call trigger_workflow instead.
    surfaces: ['dashboard'],
  })
  async replay(input: ReplayRunInput, call: ToolCall): Promise<RunResult> {
    const { organizationId } = call;
    const { run_id: runId, version, payload } = input;
    const edited = payload && (await this.payloads.prepare(organizationId, runId, payload));
    const id = await this.control.replay(organizationId, runId, version, edited);
    return await this.show(id, call);
  }

  @Tool({
    name: 'set_run_contact',
    title: 'Set the contact of the run',
    description:
      'Creates a contact, or updates the contact that has one of the identifiers, and makes it the contact of ' +
      'the run, so that later steps can use contact.id. Without an identifier it updates the current contact ' +
      'of the run.',
    output: RunContactResult,
    idempotent: true,
    surfaces: ['workflow'],
  })
  async set(input: SetRunContactInput, call: ToolCall): Promise<RunContactResult> {
    if (call.runId === undefined) throw AppError.invalid('Call this tool in a step.');
    const { organizationId, runId } = call;
    const { contact: fields, on_invalid: onInvalid } = input;
    const saved = await this.contacts.set(organizationId, runId, fields, onInvalid);
    const { contact, created, dropped } = saved;
    return {
      contact: ContactView.of(contact),
      created,
      ...(dropped.length > 0 && { dropped: [...dropped] }),
    };
  }

  private async show(runId: string, { organizationId }: ToolCall): Promise<RunResult> {
    const { run } = await this.runs.get(organizationId, runId);
    return { run };
  }
}
