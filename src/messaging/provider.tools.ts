import { Injectable } from '@nestjs/common';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { RecordMessageInput, ReportDeliveryInput } from './message.inputs.js';
import { MessageView, RecordedMessageResult, ReportedDeliveryResult } from './message.results.js';
import { ProviderReports } from './provider-reports.service.js';

/** How workflows pass on what the webhooks of providers tell. They are no tools for agents: agents are told nothing. */
@Injectable()
export class ProviderTools {
  constructor(private readonly reports: ProviderReports) {}

  @Tool({
    name: 'record_message',
    title: 'Record a message that came in',
    description:
      'Records a message that a contact has written, as a provider of e-mail or SMS tells of it, and starts the ' +
      'workflows that wait for message.received. The contact must exist (create_contact). With an external_id it is ' +
      'recorded once, however often the provider tells of it.',
    output: RecordedMessageResult,
    surfaces: ['workflow', 'dashboard'],
  })
  async record(input: RecordMessageInput, call: ToolCall): Promise<RecordedMessageResult> {
    const { message, created } = await this.reports.receive(call.organizationId, {
      from: { contactId: input.contact_id, email: input.email, phone: input.phone },
      channel: input.channel,
      to: input.to,
      subject: input.subject,
      body: input.body,
      externalId: input.external_id,
      runId: call.runId,
    });
    return { message: MessageView.of(message), created };
  }

  @Tool({
    name: 'report_delivery',
    title: 'Report what became of a message',
    description:
      'Notes that a message was delivered, has bounced or has failed, as a provider tells of it, and starts the ' +
      'workflows that wait for message.delivered or message.failed. A message only moves on from sent to delivered ' +
      'to failed: reports that come late or again change nothing. Fails with conflict for a message that was not sent.',
    output: ReportedDeliveryResult,
    surfaces: ['workflow', 'dashboard'],
  })
  async report(input: ReportDeliveryInput, call: ToolCall): Promise<ReportedDeliveryResult> {
    const { message, changed } = await this.reports.report(call.organizationId, {
      messageId: input.message_id,
      outcome: input.outcome,
      reason: input.reason,
    });
    return { message: MessageView.of(message), changed };
  }
}
