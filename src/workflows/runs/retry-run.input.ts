import { IsIn } from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';
import { RunIdInput } from './run-id.input.js';
import { RUN_VERSIONS, type RunVersion } from './run-version.js';

export class RetryRunInput extends RunIdInput {
  @Doc('Version of the workflow: that of the run, or the newest.')
  @IsIn(RUN_VERSIONS)
  version: RunVersion = 'same';
}
