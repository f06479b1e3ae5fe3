import { Injectable } from '@nestjs/common';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { ExplainSendInput } from './explanation.inputs.js';
import { ExplanationResult } from './explanation.results.js';
import { ExplanationsService } from './explanations.service.js';

/** Provides the tool that says why messages are sent or not. */
@Injectable()
export class ExplanationTools {
  constructor(private readonly explanations: ExplanationsService) {}

  @Tool({
    name: 'explain_send',
    title: 'Explain whether a message is sent',
    description:
      'Says whether a message to a contact would be sent now, until when it would wait, or why it would not be sent, ' +
      'with every rule that was checked. With message_id: why that message was sent or not, or what it waits for. ' +
      'Nothing is sent.',
    output: ExplanationResult,
    readOnly: true,
    surfaces: ['workflow', 'dashboard'],
  })
  explain(input: ExplainSendInput, call: ToolCall): Promise<ExplanationResult> {
    const { message_id: id, contact_id, email, phone, channel, topic } = input;
    return id === undefined
      ? this.explanations.explain(call.organizationId, { contact_id, email, phone }, channel, topic)
      : this.explanations.explainMessage(call.organizationId, id);
  }
}
