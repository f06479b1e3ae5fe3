import { Injectable } from '@nestjs/common';
import {
  Completion,
  type CompletionCall,
  MAX_COMPLETIONS,
} from '../../completions/completion.decorator.js';
import { Resource } from '../../resources/resource.decorator.js';
import type { ToolCall } from '../../tools/contract/tool-call.js';
import { Tool } from '../../tools/contract/tool.decorator.js';
import { Integer } from '../../tools/schema/fields.js';
import { WorkflowIdInput } from '../store/workflow-id.inputs.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';
import { DeliveryLogService } from './delivery-log.service.js';
import { WebhookDeliveriesResult } from './webhook-delivery.results.js';

const DELIVERIES_URI = 'switchboard://workflows/{workflow_id}/deliveries';

export class WebhookDeliveriesInput extends WorkflowIdInput {
  @Integer('Maximum number of deliveries, newest first.', { min: 1, max: 200 })
  limit: number = 20;
}

@Injectable()
export class WebhookTools {
  constructor(
    private readonly log: DeliveryLogService,
    private readonly workflows: WorkflowsRepository,
  ) {}

  @Tool({
    name: 'list_webhook_deliveries',
    title: 'List webhook deliveries',
    description:
      'Returns the deliveries to the webhook of a workflow, including refused deliveries and their signature mistakes.',
    output: WebhookDeliveriesResult,
    readOnly: true,
    // Agents cannot call this tool, so that their list of tools stays short. Agents read the resource instead.
    surfaces: ['dashboard'],
  })
  @Resource({
    uri: DELIVERIES_URI,
    name: 'deliveries',
    title: 'Webhook deliveries',
    description:
      'The 20 newest deliveries to the webhook of a workflow, including refused deliveries and their signature mistakes.',
    // Agents have no tool with this data. So the resource follows the policies of a tool that shows the same payloads.
    needs: ['get_run'],
  })
  deliveries(input: WebhookDeliveriesInput, call: ToolCall): Promise<WebhookDeliveriesResult> {
    return this.log.list(call.organizationId, input.workflow_id, input.limit);
  }

  /** Suggests webhook workflows whose id or name starts with the text, newest first. */
  @Completion({ resource: DELIVERIES_URI, argument: 'workflow_id', needs: ['list_workflows'] })
  completeWorkflowId(text: string, { organizationId }: CompletionCall): Promise<string[]> {
    return this.workflows.findWebhookIds(organizationId, text, MAX_COMPLETIONS + 1);
  }
}
