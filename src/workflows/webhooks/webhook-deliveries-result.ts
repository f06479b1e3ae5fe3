import { Type } from 'class-transformer';
import { IsArray, IsString, ValidateNested } from 'class-validator';
import { Doc, Nullable } from '../../tools/schema/doc.decorator.js';
import { WebhookDeliveryView } from './webhook-delivery-view.js';

export class WebhookDeliveriesResult {
  @Doc('Where a POST is checked and recorded without a run; null for a manual workflow.')
  @Nullable()
  @IsString()
  test_url: string | null;

  @Doc('Until when the previous secret is valid too; null: it is not.')
  @Nullable()
  @IsString()
  previous_secret_until: string | null;

  @Doc('50 of each kind are kept.')
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => WebhookDeliveryView)
  deliveries: WebhookDeliveryView[];
}
