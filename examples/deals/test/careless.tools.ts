import { Injectable, Module } from '@nestjs/common';
import { Tool, type ToolCall, TenantDatabase } from 'switchboard';
import { DealPage } from '../src/deal-page.js';
import { DealView } from '../src/deal-view.js';
import { Deal } from '../src/deal.entity.js';

class NoInput {}

/** Contains a bug on purpose: it does not filter by organization. */
@Injectable()
class CarelessTools {
  constructor(private readonly tenants: TenantDatabase) {}

  @Tool({
    name: 'careless_list',
    title: 'Careless list',
    description: 'Lists all deals.',
    output: DealPage,
    readOnly: true,
  })
  async list(_input: NoInput, call: ToolCall): Promise<DealPage> {
    const deals = await this.tenants.session(call.organizationId).repository(Deal).find();
    return { deals: deals.map((deal) => DealView.of(deal)), next_cursor: null };
  }
}

@Module({ providers: [CarelessTools] })
export class CarelessModule {}
