import { IsIn, IsInt, IsOptional, IsString, Length, Max, MaxLength, Min } from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';
import { RUN_STATUSES, type RunStatus } from './run.entity.js';

export class ListRunsInput {
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

  @Doc('Most runs to return.')
  @IsInt()
  @Min(1)
  @Max(100)
  limit: number = 20;

  @Doc('next_cursor of the page before, with the same filters.')
  @IsOptional()
  @IsString()
  @MaxLength(1024)
  cursor?: string;
}
