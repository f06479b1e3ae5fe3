import { IsBoolean, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';

export class ListWorkflowsInput {
  @Doc('Only active, or only inactive ones.')
  @IsOptional()
  @IsBoolean()
  active?: boolean;

  @Doc('Most workflows to return.')
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
