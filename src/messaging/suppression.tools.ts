import { Injectable } from '@nestjs/common';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { ListSuppressionsInput, SuppressionInput } from './suppression.inputs.js';
import {
  RemovedSuppression,
  SuppressionPage,
  SuppressionResult,
  SuppressionView,
} from './suppression.results.js';
import { SuppressionsService } from './suppressions.service.js';

/** Provides the tools for suppressed addresses, which get no messages. */
@Injectable()
export class SuppressionTools {
  constructor(private readonly suppressions: SuppressionsService) {}

  @Tool({
    name: 'list_suppressions',
    title: 'List suppressed addresses',
    description:
      'Lists the addresses that no longer get messages, with the reason, newest first, in pages.',
    output: SuppressionPage,
    readOnly: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async list(input: ListSuppressionsInput, call: ToolCall): Promise<SuppressionPage> {
    const { limit, cursor } = input;
    const page = { limit, cursor };
    const { addresses, nextCursor } = await this.suppressions.list(
      call.organizationId,
      input.channel,
      page,
    );
    return {
      suppressions: addresses.map((row) => SuppressionView.of(row)),
      next_cursor: nextCursor,
    };
  }

  @Tool({
    name: 'suppress_address',
    title: 'Suppress an address',
    description:
      'Stops all messages of a channel to an address, whatever its contact has agreed to. Messages to it end ' +
      'with the status suppressed, even those that wait already. An address that is suppressed keeps its first reason.',
    output: SuppressionResult,
    idempotent: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async suppress(input: SuppressionInput, call: ToolCall): Promise<SuppressionResult> {
    const row = await this.suppressions.add(call.organizationId, input.channel, input.address);
    return { suppression: SuppressionView.of(row) };
  }

  @Tool({
    name: 'remove_suppression',
    title: 'Remove a suppressed address',
    description:
      'Allows messages to a suppressed address again. Messages that ended as suppressed are not sent.',
    output: RemovedSuppression,
    destructive: true,
    surfaces: ['workflow', 'dashboard'],
  })
  async remove(input: SuppressionInput, call: ToolCall): Promise<RemovedSuppression> {
    await this.suppressions.remove(call.organizationId, input.channel, input.address);
    return { removed: true };
  }
}
