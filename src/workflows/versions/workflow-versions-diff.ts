import { Type } from 'class-transformer';
import { IsArray, IsBoolean, IsInt, IsObject, ValidateNested } from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';
import { StepDiffView } from './step-diff-view.js';

export class WorkflowVersionsDiff {
  @IsInt()
  from: number;

  @IsInt()
  to: number;

  @Doc('Whether both versions keep more than steps; where not, only those are compared.')
  @IsBoolean()
  is_whole: boolean;

  @Doc('{path, before?, after?} by JSON Pointer: /name, /trigger/type and so on.')
  @IsArray()
  @IsObject({ each: true })
  changes: object[];

  @Doc('Steps that differ, by their id; those that are gone first.')
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => StepDiffView)
  steps: StepDiffView[];
}
