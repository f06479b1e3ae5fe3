import { IsInt, IsString } from 'class-validator';
import { Doc, Nullable } from 'switchboard';
import type { PurchaseOrder } from './purchase-order.entity.js';

/** Describes a purchase order as the tools return it. */
export class PurchaseOrderView {
  @IsString()
  id: string;

  @IsString()
  title: string;

  @Doc('In whole euros.')
  @IsInt()
  amount: number;

  @Nullable()
  @IsString()
  contact_id: string | null;

  @Doc('RFC 3339, UTC.')
  @IsString()
  created_at: string;

  static of(purchaseOrder: PurchaseOrder): PurchaseOrderView {
    return {
      id: purchaseOrder.id,
      title: purchaseOrder.title,
      amount: purchaseOrder.amount,
      contact_id: purchaseOrder.contactId,
      created_at: purchaseOrder.createdAt.toISOString(),
    };
  }
}
