import { Injectable } from '@nestjs/common';
import { Resource } from '../../resources/resource.decorator.js';
import type { ToolCall } from '../../tools/contract/tool-call.js';
import { Tool } from '../../tools/contract/tool.decorator.js';
import { WebhookDeliveriesInput } from './workflow.inputs.js';
import { WebhookDeliveriesResult } from '../webhooks/webhook-delivery.results.js';
import { WorkflowsService } from './workflows.service.js';

@Injectable()
export class WebhookTools {
  constructor(private readonly workflows: WorkflowsService) {}

  @Tool({
    name: 'list_webhook_deliveries',
    title: 'List webhook deliveries',
    description:
      'Returns what came to the webhook of a workflow, refused ones too, with what was wrong with their signatures.',
    output: WebhookDeliveriesResult,
    readOnly: true,
    // Agents read the resource: a tool would take room in every list of tools.
    surfaces: ['dashboard'],
  })
  @Resource({
    uri: 'switchboard://workflows/{workflow_id}/deliveries',
    name: 'deliveries',
    title: 'Webhook deliveries',
    description:
      'The 20 newest requests to the webhook of a workflow, refused ones too, with what was wrong with their signatures.',
  })
  deliveries(input: WebhookDeliveriesInput, call: ToolCall): Promise<WebhookDeliveriesResult> {
    return this.workflows.deliveries(call.organizationId, input.workflow_id, input.limit);
  }
}
