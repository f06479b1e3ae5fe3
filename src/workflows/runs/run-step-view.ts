import { Type } from 'class-transformer';
import { IsArray, IsIn, IsInt, IsObject, IsString, ValidateNested } from 'class-validator';
import { Doc, Nullable } from '../../tools/schema/doc.decorator.js';
import { FailedAttemptView } from './failed-attempt-view.js';

export const STEP_VIEW_STATUSES = [
  'running',
  'waiting',
  'succeeded',
  'failed',
  'skipped',
  'canceled',
] as const;

/** What a run did at one step. */
export class RunStepView {
  @IsString()
  @Doc('Id of the step in the definition.')
  id: string;

  @IsString()
  @Nullable()
  @Doc('Tool that the step calls; null for a branch or a wait.')
  tool: string | null;

  @IsIn(STEP_VIEW_STATUSES)
  @Doc('waiting: for a time to come, or for the next attempt.')
  status: (typeof STEP_VIEW_STATUSES)[number];

  @IsInt()
  @Doc('How often it was tried.')
  attempts: number;

  @IsObject()
  @Nullable()
  @Doc('Arguments after expressions were evaluated. Always null in lists.')
  input: object | null;

  @IsObject()
  @Nullable()
  @Doc('Result of the tool, the branch taken, or the end of the wait. Always null in lists.')
  output: object | null;

  @IsObject()
  @Nullable()
  @Doc('Why the last attempt failed: {code, message, details?}.')
  error: object | null;

  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => FailedAttemptView)
  @Doc(
    'Attempts that failed, the last one too, and those before a retry of the run. Always empty in lists.',
  )
  failed_attempts: FailedAttemptView[];

  @IsString()
  @Nullable()
  @Doc('RFC 3339, UTC.')
  started_at: string | null;

  @IsString()
  @Nullable()
  @Doc('RFC 3339, UTC.')
  finished_at: string | null;
}
