import { IsIn } from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';
import { BulkRunsInput } from './bulk-runs.input.js';
import { RUN_VERSIONS, type RunVersion } from '../runs/run-version.js';

export class BulkReplayRunsInput extends BulkRunsInput {
  @Doc('Version of the workflows: the newest, or that of each run.')
  @IsIn(RUN_VERSIONS)
  version: RunVersion = 'latest';
}
