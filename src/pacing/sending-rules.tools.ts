import { Injectable, UseGuards } from '@nestjs/common';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { OwnerGuard } from '../tools/policies/owner.guard.js';
import { GetSendingRulesInput, SetSendingRulesInput } from './sending-rules.inputs.js';
import { SendingRulesResult, SendingRulesView } from './sending-rules.results.js';
import { SendingRulesService } from './sending-rules.service.js';

/** Provides the tools for the rules about when messages are sent. */
@Injectable()
export class SendingRulesTools {
  constructor(private readonly rules: SendingRulesService) {}

  @Tool({
    name: 'get_sending_rules',
    title: 'Get the sending rules',
    description: 'Returns the quiet hours and the caps that hold messages back.',
    output: SendingRulesResult,
    readOnly: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async get(_input: GetSendingRulesInput, call: ToolCall): Promise<SendingRulesResult> {
    return { rules: SendingRulesView.of(await this.rules.find(call.organizationId)) };
  }

  @UseGuards(OwnerGuard)
  @Tool({
    name: 'set_sending_rules',
    title: 'Change the sending rules',
    description:
      'Replaces the quiet hours and caps. A message that a rule holds gets the status `held`, and is sent when the ' +
      'rules allow it. All held messages are checked again.',
    output: SendingRulesResult,
    idempotent: true,
    surfaces: ['dashboard'],
  })
  async set(input: SetSendingRulesInput, call: ToolCall): Promise<SendingRulesResult> {
    return { rules: SendingRulesView.of(await this.rules.set(call.organizationId, input)) };
  }
}
