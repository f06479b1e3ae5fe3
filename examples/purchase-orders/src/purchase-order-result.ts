import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { PurchaseOrderView } from './purchase-order-view.js';

export class PurchaseOrderResult {
  @ValidateNested()
  @Type(() => PurchaseOrderView)
  purchase_order: PurchaseOrderView;
}
