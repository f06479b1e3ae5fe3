import { IsIn, IsObject, IsOptional, IsString } from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';

/**
 * What starting a run returns at once: its id, the rest is in `get_run`. A caller that takes the run as a task gets the
 * outcome when the run has succeeded: what the tools of its steps returned, under the names that later steps know it
 * by. Inputs, payload and times are left out: `get_run` has them, and a model rarely needs them.
 */
export class TriggeredRunResult {
  @Doc('Id of the run, for get_run.')
  @IsString()
  run_id: string;

  @Doc('Only from a task that has ended.')
  @IsOptional()
  @IsIn(['succeeded'])
  status?: 'succeeded';

  @Doc('Only from a task that has ended: what the tools of its steps returned, by step id.')
  @IsOptional()
  @IsObject()
  outputs?: object;
}
