import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { WorkflowView } from './workflow-view.js';

export class WorkflowResult {
  @ValidateNested()
  @Type(() => WorkflowView)
  workflow: WorkflowView;
}
