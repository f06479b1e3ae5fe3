import { Injectable } from '@nestjs/common';
import type { ToolCall } from '../../tools/contract/tool-call.js';
import { Tool } from '../../tools/contract/tool.decorator.js';
import { WorkflowIdInput } from '../store/workflow-id.inputs.js';
import { DEFINITION_SCHEMA } from '../definitions/definition-schema.js';
import {
  CreateWorkflowInput,
  GetWorkflowSchemaInput,
  ListWorkflowsInput,
  RotateWebhookSecretInput,
  UpdateWorkflowInput,
} from './workflow.inputs.js';
import {
  DeletedWorkflowResult,
  SavedWorkflowResult,
  UpdatedWorkflowResult,
  WorkflowPage,
  WorkflowResult,
  WorkflowSchemaResult,
} from './workflow.results.js';
import { WorkflowsService } from './workflows.service.js';

@Injectable()
export class WorkflowTools {
  constructor(private readonly workflows: WorkflowsService) {}

  @Tool({
    name: 'create_workflow',
    title: 'Create a workflow',
    description:
      'Creates a workflow: steps that run when its trigger fires or trigger_workflow is called. Every listed ' +
      'tool can be a step, except those that create secrets; so can http_request {url, method, headers, ' +
      'json}. The definition is checked, and all faults are returned with their paths. Returns the workflow ' +
      'with its webhook_url, and the secret of the webhook if it has one. Store it now: it is not shown again.',
    output: SavedWorkflowResult,
    secrets: ['secret', 'trigger.secret'],
    // Workflows cannot call these tools: the result of a step stays in its run, where the secret could be read later.
    surfaces: ['agent', 'dashboard'],
  })
  create(input: CreateWorkflowInput, call: ToolCall): Promise<SavedWorkflowResult> {
    return this.workflows.create(call.organizationId, input, call);
  }

  @Tool({
    name: 'update_workflow',
    title: 'Update a workflow',
    description:
      'Changes the name, trigger or steps of a workflow, which creates a new version. Existing runs keep ' +
      'their version. Returns the workflow, and the secret if this call set one.',
    output: UpdatedWorkflowResult,
    secrets: ['secret', 'trigger.secret'],
    surfaces: ['agent', 'dashboard'],
  })
  update(input: UpdateWorkflowInput, call: ToolCall): Promise<UpdatedWorkflowResult> {
    return this.workflows.update(
      call.organizationId,
      input.workflow_id,
      input,
      call,
      input.expected_version,
    );
  }

  @Tool({
    name: 'rotate_webhook_secret',
    title: 'Replace the secret of a webhook',
    description:
      'Gives a webhook a new secret, and changes nothing else. Returns the secret once: give it to the sender.',
    output: SavedWorkflowResult,
    secrets: ['secret'],
    // Agents use update_workflow instead, so that their list of tools stays short.
    surfaces: ['dashboard'],
  })
  rotate(input: RotateWebhookSecretInput, call: ToolCall): Promise<SavedWorkflowResult> {
    const { workflow_id: id, secret, overlap_seconds: overlapSeconds } = input;
    return this.workflows.rotateSecret(call.organizationId, id, { secret, overlapSeconds }, call);
  }

  @Tool({
    name: 'activate_workflow',
    title: 'Activate a workflow',
    description: 'Allows a workflow to start, by its trigger or by trigger_workflow.',
    output: WorkflowResult,
    idempotent: true,
  })
  async activate(input: WorkflowIdInput, call: ToolCall): Promise<WorkflowResult> {
    return {
      workflow: await this.workflows.setActive(call.organizationId, input.workflow_id, true),
    };
  }

  @Tool({
    name: 'deactivate_workflow',
    title: 'Deactivate a workflow',
    description:
      'Prevents new starts of a workflow. Existing runs continue; end them with cancel_run.',
    output: WorkflowResult,
    idempotent: true,
  })
  async deactivate(input: WorkflowIdInput, call: ToolCall): Promise<WorkflowResult> {
    return {
      workflow: await this.workflows.setActive(call.organizationId, input.workflow_id, false),
    };
  }

  @Tool({
    name: 'get_workflow',
    title: 'Get a workflow',
    description: 'Returns one workflow with its trigger, steps and webhook_url.',
    output: WorkflowResult,
    readOnly: true,
  })
  async get(input: WorkflowIdInput, call: ToolCall): Promise<WorkflowResult> {
    return { workflow: await this.workflows.get(call.organizationId, input.workflow_id) };
  }

  @Tool({
    name: 'get_workflow_schema',
    title: 'Get the schema of workflows',
    description:
      'Returns the JSON Schema of definitions, for editors: members, allowed values and descriptions of every kind of ' +
      'trigger and step. Saving a workflow checks more than this schema.',
    output: WorkflowSchemaResult,
    readOnly: true,
    // Agents cannot call this tool, which keeps their list of tools short. The description of create_workflow has the
    // same facts.
    surfaces: ['dashboard'],
  })
  getSchema(_input: GetWorkflowSchemaInput): Promise<WorkflowSchemaResult> {
    return Promise.resolve({ schema: DEFINITION_SCHEMA });
  }

  @Tool({
    name: 'list_workflows',
    title: 'List workflows',
    description: 'Returns the workflows of the organization, the newest first.',
    output: WorkflowPage,
    readOnly: true,
  })
  list(input: ListWorkflowsInput, call: ToolCall): Promise<WorkflowPage> {
    return this.workflows.list(call.organizationId, input);
  }

  @Tool({
    name: 'delete_workflow',
    title: 'Delete a workflow',
    description:
      'Deletes a workflow permanently, with its webhook. Its runs stay readable, and existing runs continue ' +
      'to their end. To pause a workflow, use deactivate_workflow.',
    output: DeletedWorkflowResult,
    destructive: true,
  })
  async delete(input: WorkflowIdInput, call: ToolCall): Promise<DeletedWorkflowResult> {
    await this.workflows.delete(call.organizationId, input.workflow_id);
    return { deleted: true };
  }
}
