import { Injectable } from '@nestjs/common';
import type { ToolCall } from '../contract/tool-call.js';
import { Tool } from '../contract/tool.decorator.js';
import { AnswerConfirmationInput, ListConfirmationsInput } from './confirmation.inputs.js';
import { ConfirmationList, ConfirmationResult, confirmationView } from './confirmation.results.js';
import { ConfirmationsService } from './confirmations.service.js';

/**
 * Provides the tools by which signed-in people answer calls of agents. No agent and no step may ever call them, because
 * an agent could then approve its own calls. With `when_possible`, the client of the agent answers instead, by an input
 * request (`ToolPipeline`).
 */
@Injectable()
export class ConfirmationTools {
  constructor(private readonly confirmations: ConfirmationsService) {}

  @Tool({
    name: 'list_confirmations',
    title: 'List confirmations',
    description:
      'Returns the calls of agents that wait for the approval of a signed-in person, newest first, each with its ' +
      'complete arguments. Returns fewer than limit when their arguments are large.',
    output: ConfirmationList,
    readOnly: true,
    surfaces: ['dashboard'],
  })
  async list(
    { state, limit }: ListConfirmationsInput,
    { organizationId }: ToolCall,
  ): Promise<ConfirmationList> {
    const onlyPending = state === 'pending';
    const { confirmations, now } = await this.confirmations.list(
      organizationId,
      limit,
      onlyPending,
    );
    return { confirmations: confirmations.map((row) => confirmationView(row, now)) };
  }

  @Tool({
    name: 'approve_confirmation',
    title: 'Approve a call',
    description:
      'Allows the agent to make exactly this call once, within an hour: this tool, these arguments, this API key. ' +
      'The call runs when the agent repeats it.',
    output: ConfirmationResult,
    surfaces: ['dashboard'],
  })
  async approve(input: AnswerConfirmationInput, call: ToolCall): Promise<ConfirmationResult> {
    return await this.answer(input, call, 'approved');
  }

  @Tool({
    name: 'decline_confirmation',
    title: 'Decline a call',
    description:
      'Refuses a call of an agent for an hour. Also withdraws an approval that the agent has not used yet.',
    output: ConfirmationResult,
    surfaces: ['dashboard'],
  })
  async decline(input: AnswerConfirmationInput, call: ToolCall): Promise<ConfirmationResult> {
    return await this.answer(input, call, 'declined');
  }

  private async answer(
    { confirmation_id: id }: AnswerConfirmationInput,
    { organizationId, actor }: ToolCall,
    state: 'approved' | 'declined',
  ): Promise<ConfirmationResult> {
    const row = await this.confirmations.answer(organizationId, id, state, actor);
    return { confirmation: confirmationView(row, row.answeredAt!) };
  }
}
