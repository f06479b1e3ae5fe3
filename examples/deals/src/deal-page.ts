import { Type } from 'class-transformer';
import { IsArray, IsString, ValidateNested } from 'class-validator';
import { Doc, Nullable } from 'switchboard';
import { DealView } from './deal-view.js';

export class DealPage {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => DealView)
  deals: DealView[];

  @Doc('Pass it as cursor for the next page; null on the last page.')
  @Nullable()
  @IsString()
  next_cursor: string | null;
}
