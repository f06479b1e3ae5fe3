import { Type } from 'class-transformer';
import { IsArray, ValidateNested } from 'class-validator';
import { WorkflowOfferView } from './workflow-offer-view.js';

export class WorkflowOfferList {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => WorkflowOfferView)
  offers: WorkflowOfferView[];
}
