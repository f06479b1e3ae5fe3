import { Injectable, UseGuards } from '@nestjs/common';
import { Tool, type ToolCall } from 'switchboard';
import { DealLimitGuard } from './deal-limit.guard.js';
import { DealPage } from './deal-page.js';
import { DealResult } from './deal-result.js';
import { DealView } from './deal-view.js';
import { DealsService } from './deals.service.js';
import { ListDealsInput } from './list-deals.inputs.js';
import { RecordDealInput } from './record-deal.inputs.js';

/** Provides tools for deals that agents, workflows and people use. */
@Injectable()
export class DealTools {
  constructor(private readonly deals: DealsService) {}

  @UseGuards(DealLimitGuard)
  @Tool({
    name: 'record_deal',
    title: 'Record a deal',
    description:
      'Records a possible sale with its title and amount. Fails with forbidden for amounts above 100,000 unless a ' +
      'person records the deal. Returns the deal with its id.',
    output: DealResult,
  })
  async record(input: RecordDealInput, call: ToolCall): Promise<DealResult> {
    const deal = await this.deals.record(call.organizationId, {
      title: input.title,
      amount: input.amount,
      contactId: input.contact_id ?? null,
    });
    return { deal: DealView.of(deal) };
  }

  @Tool({
    name: 'list_deals',
    title: 'List deals',
    description:
      'Lists deals, newest first, all or those with one contact. Returns a page and next_cursor for the next page.',
    output: DealPage,
    readOnly: true,
  })
  async list(input: ListDealsInput, call: ToolCall): Promise<DealPage> {
    const { deals, nextCursor } = await this.deals.list(
      call.organizationId,
      { contactId: input.contact_id },
      input,
    );
    return { deals: deals.map((deal) => DealView.of(deal)), next_cursor: nextCursor };
  }
}
