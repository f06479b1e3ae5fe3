import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { DealView } from './deal-view.js';

export class DealResult {
  @ValidateNested()
  @Type(() => DealView)
  deal: DealView;
}
