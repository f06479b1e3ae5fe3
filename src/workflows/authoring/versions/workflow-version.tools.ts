import { Injectable } from '@nestjs/common';
import type { ToolCall } from '../../../tools/contract/tool-call.js';
import { Tool } from '../../../tools/contract/tool.decorator.js';
import { DiffWorkflowVersionsInput } from './workflow-version.inputs.js';
import { ListWorkflowVersionsInput } from './workflow-version.inputs.js';
import { RestoreWorkflowVersionInput } from './workflow-version.inputs.js';
import { UpdatedWorkflowResult } from '../workflow.results.js';
import { WorkflowVersionPage } from './workflow-version.results.js';
import { WorkflowVersionResult } from './workflow-version.results.js';
import { WorkflowVersionInput } from './workflow-version.inputs.js';
import { WorkflowVersionsDiff } from './workflow-version.results.js';
import { WorkflowVersionsService } from './workflow-versions.service.js';

/**
 * Provides the tools for versions of workflows. Agents cannot call these tools, so that the tool list of agents stays
 * short.
 */
@Injectable()
export class WorkflowVersionTools {
  constructor(private readonly versions: WorkflowVersionsService) {}

  @Tool({
    name: 'list_workflow_versions',
    title: 'List versions of a workflow',
    description: 'Returns the versions of a workflow, newest first, with time, surface and author.',
    output: WorkflowVersionPage,
    readOnly: true,
    surfaces: ['dashboard'],
  })
  list(input: ListWorkflowVersionsInput, call: ToolCall): Promise<WorkflowVersionPage> {
    return this.versions.list(call.organizationId, input.workflow_id, input);
  }

  @Tool({
    name: 'get_workflow_version',
    title: 'Get a version of a workflow',
    description: 'Returns one version of a workflow with its definition.',
    output: WorkflowVersionResult,
    readOnly: true,
    surfaces: ['dashboard'],
  })
  async get(input: WorkflowVersionInput, call: ToolCall): Promise<WorkflowVersionResult> {
    const { workflow_id: id, version } = input;
    return { version: await this.versions.get(call.organizationId, id, version) };
  }

  @Tool({
    name: 'diff_workflow_versions',
    title: 'Compare versions of a workflow',
    description:
      'Compares two versions of a workflow: name, trigger, and the steps that were added, removed, moved or ' +
      'changed.',
    output: WorkflowVersionsDiff,
    readOnly: true,
    surfaces: ['dashboard'],
  })
  diff(input: DiffWorkflowVersionsInput, call: ToolCall): Promise<WorkflowVersionsDiff> {
    const { workflow_id: id, from, to } = input;
    return this.versions.diff(call.organizationId, id, from, to);
  }

  @Tool({
    name: 'restore_workflow_version',
    title: 'Restore a version of a workflow',
    description:
      'Saves an old version as a new version, if it fits the current tools; all faults are ' +
      'returned with their paths. Existing runs keep their version. Returns the workflow, and the secret of ' +
      'its webhook if a new secret was needed.',
    output: UpdatedWorkflowResult,
    secrets: ['secret', 'trigger.secret'],
    surfaces: ['dashboard'],
  })
  restore(input: RestoreWorkflowVersionInput, call: ToolCall): Promise<UpdatedWorkflowResult> {
    const { workflow_id: id, version, expected_version: expected } = input;
    return this.versions.restore(call, id, version, expected);
  }
}
