import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { WorkflowVersionView } from './workflow-version-view.js';

export class WorkflowVersionResult {
  @ValidateNested()
  @Type(() => WorkflowVersionView)
  version: WorkflowVersionView;
}
