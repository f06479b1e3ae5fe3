import { Injectable } from '@nestjs/common';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { SetTopicSubscriptionInput } from './subscription.inputs.js';
import { SubscriptionResult } from './subscription.results.js';
import { SubscriptionRequestsService } from './subscription-requests.service.js';

/** Provides the tool by which people and workflows record the decision of a contact about a topic. */
@Injectable()
export class SubscriptionTools {
  constructor(private readonly requests: SubscriptionRequestsService) {}

  @Tool({
    name: 'set_topic_subscription',
    title: 'Subscribe or unsubscribe a contact',
    description:
      'Records whether a contact gets the messages of a topic. When the topic has double opt-in, the state is pending ' +
      'until the contact confirms it with the link in an e-mail, which this call sends.',
    output: SubscriptionResult,
    surfaces: ['workflow', 'dashboard'],
  })
  async set(input: SetTopicSubscriptionInput, call: ToolCall): Promise<SubscriptionResult> {
    return await this.requests.set(call.organizationId, {
      contactId: input.contact_id,
      topic: input.topic,
      isSubscribed: input.subscribed,
      source: call.surface,
      evidence: input.evidence ? { ...input.evidence } : null,
      runId: call.runId,
    });
  }
}
