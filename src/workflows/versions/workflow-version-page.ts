import { Type } from 'class-transformer';
import { IsArray, IsString, ValidateNested } from 'class-validator';
import { Doc, Nullable } from '../../tools/schema/doc.decorator.js';
import { WorkflowVersionSummary } from './workflow-version-summary.js';

export class WorkflowVersionPage {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => WorkflowVersionSummary)
  versions: WorkflowVersionSummary[];

  @Doc('Cursor of the next page; null on the last.')
  @Nullable()
  @IsString()
  next_cursor: string | null;
}
