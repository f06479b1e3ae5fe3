import { IsIn, IsOptional, IsString, Length } from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';
import { RunIdInput } from './run-id.input.js';
import { RUN_VERSIONS, type RunVersion } from './run-version.js';

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
