import { Type } from 'class-transformer';
import { IsString, ValidateNested } from 'class-validator';
import { Doc, Nullable } from '../../tools/schema/doc.decorator.js';
import { WorkflowView } from './workflow-view.js';

export class SavedWorkflowResult {
  @ValidateNested()
  @Type(() => WorkflowView)
  workflow: WorkflowView;

  @Doc('Secret of the webhook, if this call set one. It is never shown again.')
  @Nullable()
  @IsString()
  secret: string | null;
}
