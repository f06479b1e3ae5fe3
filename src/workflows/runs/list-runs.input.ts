import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';
import { RunFilterInput } from './run-filter.input.js';

export class ListRunsInput extends RunFilterInput {
  @Doc('Most to return.')
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
