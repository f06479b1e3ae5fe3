import { Transform } from 'class-transformer';
import {
  IsEmail,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';
import { RUN_TRIGGER_TYPES, type RunTriggerType } from '../definitions/trigger.js';
import { RUN_STATUSES } from '../journal/run.entity.js';

export class RunIdInput {
  @Doc('Id of the run.')
  @IsString()
  @Length(1, 64)
  run_id: string;
}

/** The version of the workflow for a retry or replay: that of the run, or the newest. */
export const RUN_VERSIONS = ['same', 'latest'] as const;

export type RunVersion = (typeof RUN_VERSIONS)[number];

/** A status, or a group of statuses. */
export const RUN_STATUS_FILTERS = [...RUN_STATUSES, 'unfinished', 'finished'] as const;

export type RunStatusFilter = (typeof RUN_STATUS_FILTERS)[number];

/** Matches the runs for which all given members hold. */
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

export class ReplayRunInput extends RunIdInput {
  @Doc('Version of the workflow: the newest, or that of the run.')
  @IsIn(RUN_VERSIONS)
  version: RunVersion = 'latest';

  @Doc('The same key starts one run only.')
  @IsOptional()
  @IsString()
  @Length(1, 255)
  idempotency_key?: string;
}

export class RetryRunInput extends RunIdInput {
  @Doc('Version of the workflow: that of the run, or the newest.')
  @IsIn(RUN_VERSIONS)
  version: RunVersion = 'same';
}

export class TriggerWorkflowInput {
  @Doc('Id of an active workflow.')
  @IsString()
  @Length(1, 64)
  workflow_id: string;

  @Doc('What the steps see as trigger.payload.')
  @IsOptional()
  @IsObject()
  @Transform(({ obj }) => (obj as TriggerWorkflowInput).payload)
  payload?: object;

  @Doc('Contact that the run is about.')
  @IsOptional()
  @IsString()
  @Length(1, 64)
  contact_id?: string;

  @Doc('Instead of contact_id: address of the contact; if nobody has it, the run has no contact.')
  @IsOptional()
  @IsEmail()
  @MaxLength(254)
  email?: string;

  @Doc('The same key with the same arguments starts one run only.')
  @IsOptional()
  @IsString()
  @Length(1, 255)
  idempotency_key?: string;
}

export class SetRunContactInput {
  @Doc(
    'Fields as in create_contact. What is null or blank is left out and changes nothing; tags are added to those that ' +
      'are there.',
    { examples: [{ email: '{{ trigger.payload.email }}', tags: ['lead'] }] },
  )
  @IsObject()
  contact: Record<string, unknown>;
}

/** A filter as in list_runs, and the number of runs that one call may change. */
export class BulkRunsInput extends RunFilterInput {
  @Doc('Most runs of this call.')
  @IsInt()
  @Min(1)
  @Max(1000)
  limit: number = 100;

  @Doc('next_cursor of the call before, with the same filters.')
  @IsOptional()
  @IsString()
  @MaxLength(1024)
  cursor?: string;

  @Doc(
    'The same call again with the same key changes nothing more, and returns what the first one did.',
  )
  @IsOptional()
  @IsString()
  @Length(1, 255)
  idempotency_key?: string;
}

export class BulkReplayRunsInput extends BulkRunsInput {
  @Doc('Version of the workflows: the newest, or that of each run.')
  @IsIn(RUN_VERSIONS)
  version: RunVersion = 'latest';
}

export class BulkRetryRunsInput extends BulkRunsInput {
  @Doc('Version of the workflows: that of each run, or the newest.')
  @IsIn(RUN_VERSIONS)
  version: RunVersion = 'same';
}
