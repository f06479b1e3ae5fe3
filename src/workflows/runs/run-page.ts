import { Type } from 'class-transformer';
import { IsArray, IsString, ValidateNested } from 'class-validator';
import { Doc, Nullable } from '../../tools/schema/doc.decorator.js';
import { RunView } from './run-view.js';

export class RunPage {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => RunView)
  runs: RunView[];

  @Doc('Pass it as cursor for the next page; null on the last one.')
  @Nullable()
  @IsString()
  next_cursor: string | null;
}
