import { IsIn } from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';
import { BulkRunsInput } from './bulk-runs.input.js';
import { RUN_VERSIONS, type RunVersion } from '../runs/run-version.js';

export class BulkRetryRunsInput extends BulkRunsInput {
  @Doc('Version of the workflows: that of each run, or the newest.')
  @IsIn(RUN_VERSIONS)
  version: RunVersion = 'same';
}
