import { Injectable, Module } from '@nestjs/common';
import { Tool, type ToolCall, TenantDatabase } from 'switchboard';
import { DealPage } from '../src/deal-page.js';
import { DealView } from '../src/deal-view.js';
import { Deal } from '../src/deal.entity.js';

class NoInput {}

/** Forgets to say whose deals it wants, as code does one day. */
@Injectable()
class CarelessTools {
  constructor(private readonly tenants: TenantDatabase) {}

  @Tool({
    name: 'careless_list',
    title: 'Careless list',
    description: 'Lists all deals there are.',
    output: DealPage,
    readOnly: true,
  })
  async list(_input: NoInput, call: ToolCall): Promise<DealPage> {
    const deals = await this.tenants.manager(call.organizationId).find(Deal);
    return { deals: deals.map((deal) => DealView.of(deal)), next_cursor: null };
  }
}

@Module({ providers: [CarelessTools] })
export class CarelessModule {}
