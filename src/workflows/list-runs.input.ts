import { IsIn, IsOptional, IsString, Length } from 'class-validator';
import { PageInput } from '../tools/page.input.js';
import { Doc } from '../tools/schema/doc.decorator.js';
import { RUN_STATUSES, type RunStatus } from './run.entity.js';

export class ListRunsInput extends PageInput {
  @Doc('Only runs of this workflow.')
  @IsOptional()
  @IsString()
  @Length(1, 64)
  workflow_id?: string;

  @Doc('Only runs in this state.')
  @IsOptional()
  @IsIn(RUN_STATUSES)
  status?: RunStatus;

  @Doc('Only runs about this contact.')
  @IsOptional()
  @IsString()
  @Length(1, 64)
  contact_id?: string;
}
