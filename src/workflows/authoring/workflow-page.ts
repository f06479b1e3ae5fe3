import { Type } from 'class-transformer';
import { IsArray, IsString, ValidateNested } from 'class-validator';
import { Doc, Nullable } from '../../tools/schema/doc.decorator.js';
import { WorkflowView } from './workflow-view.js';

export class WorkflowPage {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => WorkflowView)
  workflows: WorkflowView[];

  @Doc('Pass it as cursor for the next page; null on the last one.')
  @Nullable()
  @IsString()
  next_cursor: string | null;
}
