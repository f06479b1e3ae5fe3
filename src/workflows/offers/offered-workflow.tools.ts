import { Injectable, UseGuards } from '@nestjs/common';
import type { ToolCall } from '../../tools/contract/tool-call.js';
import { Tool } from '../../tools/contract/tool.decorator.js';
import { OwnerGuard } from '../../tools/policies/owner.guard.js';
import { WorkflowIdInput } from '../store/workflow-id.inputs.js';
import { ListWorkflowToolsInput, OfferWorkflowInput } from './offered-workflow.inputs.js';
import {
  WithdrawnWorkflowResult,
  OfferedWorkflowList,
  OfferedWorkflowResult,
} from './offered-workflow.results.js';
import { OfferedWorkflowsService } from './offered-workflows.service.js';

/**
 * Provides the tools by which owners offer workflows. Agents cannot call them: all agents of the organization read the
 * description of an offered workflow, so a misled agent could mislead every other agent.
 */
@Injectable()
export class OfferedWorkflowTools {
  constructor(private readonly offered: OfferedWorkflowsService) {}

  @UseGuards(OwnerGuard)
  @Tool({
    name: 'offer_workflow_as_tool',
    title: 'Offer a workflow as a tool',
    description:
      'Offers a workflow to the agents of the organization as a separate tool while it is active, or ' +
      'replaces all settings of the offer. A call starts a run and waits for its end for a limited time.',
    output: OfferedWorkflowResult,
    surfaces: ['dashboard'],
  })
  async offer(input: OfferWorkflowInput, call: ToolCall): Promise<OfferedWorkflowResult> {
    return { offer: await this.offered.set(call.organizationId, input) };
  }

  @UseGuards(OwnerGuard)
  @Tool({
    name: 'withdraw_workflow_tool',
    title: 'Withdraw the tool of a workflow',
    description: 'Stops offering a workflow as a tool. Its runs continue.',
    output: WithdrawnWorkflowResult,
    surfaces: ['dashboard'],
  })
  async withdraw(input: WorkflowIdInput, call: ToolCall): Promise<WithdrawnWorkflowResult> {
    await this.offered.withdraw(call.organizationId, input.workflow_id);
    return { withdrawn: true };
  }

  @Tool({
    name: 'list_workflow_tools',
    title: 'List the tools of workflows',
    description: 'Returns all workflows that are offered as tools, sorted by tool name.',
    output: OfferedWorkflowList,
    readOnly: true,
    surfaces: ['dashboard'],
  })
  async list(_input: ListWorkflowToolsInput, call: ToolCall): Promise<OfferedWorkflowList> {
    return { offers: await this.offered.list(call.organizationId) };
  }
}
