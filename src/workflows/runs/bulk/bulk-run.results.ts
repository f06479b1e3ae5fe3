import { Type } from 'class-transformer';
import { IsArray, IsInt, IsString, ValidateNested } from 'class-validator';
import { Doc, Nullable } from '../../../tools/schema/doc.decorator.js';

/** A run that matched and was not changed. */
export class RefusedRun {
  @IsString()
  run_id: string;

  @IsString()
  code: string;

  @IsString()
  @Doc('Why.')
  message: string;
}

/** The result of a bulk call. */
export class BulkRunsResult {
  @IsInt()
  @Doc('With how many runs it was done.')
  done: number;

  @IsArray()
  @IsString({ each: true })
  @Doc('The runs that were canceled, that go on, or that were started.')
  run_ids: string[];

  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => RefusedRun)
  @Doc('Runs that match, but with which it could not be done.')
  refused: RefusedRun[];

  @IsString()
  @Nullable()
  @Doc('Pass it as cursor to go on; null when no more runs match.')
  next_cursor: string | null;
}
