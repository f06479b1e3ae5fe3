import { Type } from 'class-transformer';
import { IsArray, IsString, ValidateNested } from 'class-validator';
import { Doc, Nullable } from 'switchboard';
import { PurchaseOrderView } from './purchase-order-view.js';

export class PurchaseOrderPage {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => PurchaseOrderView)
  purchase_orders: PurchaseOrderView[];

  @Doc('Pass it as cursor for the next page; null on the last page.')
  @Nullable()
  @IsString()
  next_cursor: string | null;
}
