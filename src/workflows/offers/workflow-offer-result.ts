import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { WorkflowOfferView } from './workflow-offer-view.js';

export class WorkflowOfferResult {
  @ValidateNested()
  @Type(() => WorkflowOfferView)
  offer: WorkflowOfferView;
}
