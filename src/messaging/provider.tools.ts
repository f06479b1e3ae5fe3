import { Injectable } from '@nestjs/common';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { InboundKeywordsService } from './inbound-keywords.service.js';
import { RecordMessageInput, ReportDeliveryInput, ResolveMessageInput } from './message.inputs.js';
import { MessageResolutionsService } from './message-resolutions.service.js';
import {
  MessageResult,
  MessageView,
  RecordedMessageResult,
  ReportedDeliveryResult,
} from './message.results.js';
import { ProviderReportsService } from './provider-reports.service.js';

/** Provides the tools by which workflows record the reports of providers. Agents cannot call them. */
@Injectable()
export class ProviderTools {
  constructor(
    private readonly reports: ProviderReportsService,
    private readonly resolutions: MessageResolutionsService,
    private readonly keywords: InboundKeywordsService,
  ) {}

  @Tool({
    name: 'record_message',
    title: 'Record an inbound message',
    description:
      'Records a message from a contact that a provider of e-mail or SMS has reported, and starts the workflows with ' +
      'the trigger message.received. The contact must exist (create_contact). With an external_id the message is ' +
      'recorded once, however often the provider reports it. A text message that consists of STOP or START denies or ' +
      'grants consent to SMS, and HELP is answered, if the settings of contacts have a text.',
    output: RecordedMessageResult,
    surfaces: ['workflow', 'dashboard'],
  })
  async record(input: RecordMessageInput, call: ToolCall): Promise<RecordedMessageResult> {
    const { message, created } = await this.reports.receive(call.organizationId, input, call.runId);
    if (created) await this.keywords.apply(message, input);
    return { message: MessageView.of(message), created };
  }

  @Tool({
    name: 'report_delivery',
    title: 'Report the delivery of a message',
    description:
      'Records that a message was delivered, bounced, complained about or failed, as a provider has reported. After a ' +
      'complaint or a hard bounce, the address of the message no longer gets messages. The report starts the workflows ' +
      'with the trigger message.delivered or message.failed. The status can change from sent to delivered or failed, ' +
      'and from delivered to failed. Reports that are late or repeated change nothing. Fails with conflict for a ' +
      'message that was not sent.',
    output: ReportedDeliveryResult,
    surfaces: ['workflow', 'dashboard'],
  })
  async report(input: ReportDeliveryInput, call: ToolCall): Promise<ReportedDeliveryResult> {
    const { message, changed } = await this.reports.report(call.organizationId, input);
    return { message: MessageView.of(message), changed };
  }

  @Tool({
    name: 'resolve_message',
    title: 'Resolve an uncertain message',
    description:
      'Records what happened to a message with the status uncertain: sent, delivered or failed. With the outcome resend, ' +
      'it sends the message again instead, so the message may arrive twice. Fails with conflict for any other message.',
    output: MessageResult,
    surfaces: ['workflow', 'dashboard'],
  })
  async resolve(input: ResolveMessageInput, call: ToolCall): Promise<MessageResult> {
    const { organizationId, surface } = call;
    const message = await this.resolutions.resolve(organizationId, input, surface);
    return { message: MessageView.of(message) };
  }
}
