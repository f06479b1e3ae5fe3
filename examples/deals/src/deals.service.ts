import { Injectable } from '@nestjs/common';
import { newId, pageOf, readTimeCursor, timeCursor } from 'switchboard';
import type { Deal } from './deal.entity.js';
import { DealsRepository } from './deals.repository.js';

/** Manages the deals of organizations. Every method runs in the transaction that Switchboard opens for a call. */
@Injectable()
export class DealsService {
  constructor(private readonly deals: DealsRepository) {}

  /** Throws `not_found` when the organization has no such contact. */
  async record(
    organizationId: string,
    deal: { title: string; amount: number; contactId: string | null },
  ): Promise<Deal> {
    return await this.deals.insert(organizationId, { ...deal, id: newId('deal') });
  }

  async list(
    organizationId: string,
    filter: { contactId?: string },
    { limit, cursor }: { limit: number; cursor?: string },
  ): Promise<{ deals: Deal[]; nextCursor: string | null }> {
    const position = readTimeCursor(cursor);
    // One additional row shows whether there is another page.
    const rows = await this.deals.list(organizationId, filter, position, limit + 1);
    const { page, nextCursor } = pageOf(rows, limit, timeCursor);
    return { deals: page, nextCursor };
  }
}
