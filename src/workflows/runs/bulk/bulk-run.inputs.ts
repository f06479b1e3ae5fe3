import { IsIn, IsInt, IsOptional, IsString, Length, Max, MaxLength, Min } from 'class-validator';
import { Doc } from '../../../tools/schema/doc.decorator.js';
import { RUN_VERSIONS, RunFilterInput, type RunVersion } from '../run.inputs.js';

/** The runs that are meant, as in list_runs, and how many of them one call may change. */
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
