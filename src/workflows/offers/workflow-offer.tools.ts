import { Injectable, UseGuards } from '@nestjs/common';
import type { ToolCall } from '../../tools/contract/tool-call.js';
import { Tool } from '../../tools/contract/tool.decorator.js';
import { OwnerGuard } from '../../tools/policies/owner.guard.js';
import { WorkflowIdInput } from '../store/workflow-id.input.js';
import { ListWorkflowToolsInput, OfferWorkflowInput } from './offer.inputs.js';
import { WithdrawnOfferResult, WorkflowOfferList, WorkflowOfferResult } from './offer.results.js';
import { WorkflowOffers } from './workflow-offers.service.js';

/**
 * How owners offer workflows to their agents. Not for agents: what is written here is read by all agents of the
 * organization as the description of a tool, so an agent that was misled could mislead every other one.
 */
@Injectable()
export class WorkflowOfferTools {
  constructor(private readonly offers: WorkflowOffers) {}

  @UseGuards(OwnerGuard)
  @Tool({
    name: 'offer_workflow_as_tool',
    title: 'Offer a workflow as a tool',
    description:
      'Offers a workflow to the agents of the organization as a tool of its own, as long as it is active, or changes ' +
      'how it is offered: what is not given is not kept. A call starts a run and waits for its end for a while.',
    output: WorkflowOfferResult,
    surfaces: ['dashboard'],
  })
  async offer(input: OfferWorkflowInput, call: ToolCall): Promise<WorkflowOfferResult> {
    return { offer: await this.offers.set(call.organizationId, input) };
  }

  @UseGuards(OwnerGuard)
  @Tool({
    name: 'withdraw_workflow_tool',
    title: 'Withdraw the tool of a workflow',
    description: 'Offers a workflow as a tool no longer. Runs that were started so go on.',
    output: WithdrawnOfferResult,
    surfaces: ['dashboard'],
  })
  async withdraw(input: WorkflowIdInput, call: ToolCall): Promise<WithdrawnOfferResult> {
    await this.offers.withdraw(call.organizationId, input.workflow_id);
    return { withdrawn: true };
  }

  @Tool({
    name: 'list_workflow_tools',
    title: 'List the tools of workflows',
    description: 'Returns all workflows that are offered as tools, by the name of the tool.',
    output: WorkflowOfferList,
    readOnly: true,
    surfaces: ['dashboard'],
  })
  async list(_input: ListWorkflowToolsInput, call: ToolCall): Promise<WorkflowOfferList> {
    return { offers: await this.offers.list(call.organizationId) };
  }
}
