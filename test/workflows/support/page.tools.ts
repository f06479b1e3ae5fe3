import { Injectable } from '@nestjs/common';
import { IsArray, IsInt, IsNumber, IsOptional } from 'class-validator';
import { Tool } from '../../../src/tools/contract/tool.decorator.js';

class PageInput {
  /** The number of items of all pages. */
  @IsInt()
  total: number;

  @IsInt()
  size: number;

  @IsOptional()
  @IsNumber()
  cursor?: number;
}

class PageResult {
  @IsArray()
  @IsInt({ each: true })
  numbers: number[];

  @IsOptional()
  @IsNumber()
  next?: number;
}

/** Provides numbers from 0 in pages, with the first number of the next page as the cursor. */
@Injectable()
export class PageTools {
  /** Lists the cursor of each call. */
  static readonly cursors: (number | undefined)[] = [];

  @Tool({
    name: 'probe_page',
    title: 'Page',
    description: 'Returns a page of numbers.',
    output: PageResult,
    readOnly: true,
  })
  async page({ total, size, cursor = 0 }: PageInput): Promise<PageResult> {
    PageTools.cursors.push(cursor);
    const end = Math.min(total, cursor + size);
    const numbers = Array.from({ length: end - cursor }, (_, index) => cursor + index);
    return { numbers, ...(end < total && { next: end }) };
  }
}
