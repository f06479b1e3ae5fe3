import { IsIn, IsOptional, IsString, Length, MaxLength } from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';
import { RUN_STATUSES } from '../journal/run.entity.js';
import { RUN_TRIGGER_TYPES, type RunTriggerType } from '../definitions/trigger.js';

/** A state, or one of the two kinds of states. */
export const RUN_STATUS_FILTERS = [...RUN_STATUSES, 'unfinished', 'finished'] as const;

export type RunStatusFilter = (typeof RUN_STATUS_FILTERS)[number];

/** Which runs are meant: those for which everything that is given holds. */
export class RunFilterInput {
  @IsOptional()
  @IsString()
  @Length(1, 64)
  workflow_id?: string;

  @IsOptional()
  @IsIn(RUN_STATUS_FILTERS)
  status?: RunStatusFilter;

  @IsOptional()
  @IsString()
  @Length(1, 64)
  contact_id?: string;

  @Doc('The whole reason; or step_failed or stopped, whichever step it was.')
  @IsOptional()
  @IsString()
  @Length(1, 200)
  reason?: string;

  @IsOptional()
  @IsIn(RUN_TRIGGER_TYPES)
  trigger_type?: RunTriggerType;

  @Doc('RFC 3339.')
  @IsOptional()
  @IsString()
  @MaxLength(64)
  created_after?: string;

  @IsOptional()
  @IsString()
  @MaxLength(64)
  created_before?: string;

  @IsOptional()
  @IsString()
  @MaxLength(64)
  finished_after?: string;

  @IsOptional()
  @IsString()
  @MaxLength(64)
  finished_before?: string;
}
