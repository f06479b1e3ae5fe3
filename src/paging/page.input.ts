import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';

/** The arguments of every list that comes in pages; see `paging.ts`. */
export class PageInput {
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
