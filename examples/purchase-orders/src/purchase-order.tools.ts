import { Injectable, UseGuards } from '@nestjs/common';
import { Tool, type ToolCall } from 'switchboard';
import { BlockedContactGuard } from './blocked-contact.guard.js';
import { ListPurchaseOrdersInput } from './list-purchase-orders.inputs.js';
import { PurchaseOrderPage } from './purchase-order-page.js';
import { PurchaseOrderResult } from './purchase-order-result.js';
import { PurchaseOrderView } from './purchase-order-view.js';
import { PurchaseOrdersService } from './purchase-orders.service.js';
import { RecordPurchaseOrderInput } from './record-purchase-order.inputs.js';

/** Provides tools for purchase orders that agents, workflows and people use. */
@Injectable()
export class PurchaseOrderTools {
  constructor(private readonly purchaseOrders: PurchaseOrdersService) {}

  @UseGuards(BlockedContactGuard)
  @Tool({
    name: 'record_purchase_order',
    title: 'Record a purchase order',
    description:
      'Records a purchase order with its title and amount. Fails with forbidden for a contact with the tag blocked, ' +
      'unless a person makes the call. Returns the purchase order with its id.',
    output: PurchaseOrderResult,
  })
  async record(input: RecordPurchaseOrderInput, call: ToolCall): Promise<PurchaseOrderResult> {
    const purchaseOrder = await this.purchaseOrders.record(call.organizationId, {
      title: input.title,
      amount: input.amount,
      contactId: input.contact_id ?? null,
    });
    return { purchase_order: PurchaseOrderView.of(purchaseOrder) };
  }

  @Tool({
    name: 'list_purchase_orders',
    title: 'List purchase orders',
    description:
      'Lists purchase orders, newest first, all or those of one contact. Returns a page and next_cursor for the next ' +
      'page.',
    output: PurchaseOrderPage,
    readOnly: true,
  })
  async list(input: ListPurchaseOrdersInput, call: ToolCall): Promise<PurchaseOrderPage> {
    const { rows, nextCursor } = await this.purchaseOrders.list(
      call.organizationId,
      { contactId: input.contact_id },
      input,
    );
    return {
      purchase_orders: rows.map((purchaseOrder) => PurchaseOrderView.of(purchaseOrder)),
      next_cursor: nextCursor,
    };
  }
}
