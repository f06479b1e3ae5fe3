import { Injectable } from '@nestjs/common';
import { newId, pageOf, readTimeCursor, timeCursor } from 'switchboard';
import type { PurchaseOrder } from './purchase-order.entity.js';
import { PurchaseOrdersRepository } from './purchase-orders.repository.js';

/**
 * Manages the purchase orders of organizations. Every method runs in the transaction that Switchboard opens for a call.
 */
@Injectable()
export class PurchaseOrdersService {
  constructor(private readonly purchaseOrders: PurchaseOrdersRepository) {}

  /** Throws `not_found` when the organization has no such contact. */
  async record(
    organizationId: string,
    given: { title: string; amount: number; contactId: string | null },
  ): Promise<PurchaseOrder> {
    const id = newId('purchase_order');
    return await this.purchaseOrders.insert(organizationId, { ...given, id });
  }

  async list(
    organizationId: string,
    filter: { contactId?: string },
    { limit, cursor }: { limit: number; cursor?: string },
  ): Promise<{ rows: PurchaseOrder[]; nextCursor: string | null }> {
    const position = readTimeCursor(cursor);
    // One additional row shows whether there is another page.
    const rows = await this.purchaseOrders.list(organizationId, filter, position, limit + 1);
    const { page, nextCursor } = pageOf(rows, limit, timeCursor);
    return { rows: page, nextCursor };
  }
}
