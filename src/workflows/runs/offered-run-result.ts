import { IsIn, IsObject, IsOptional, IsString } from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';

/** What a workflow that is offered as a tool answers. */
export class OfferedRunResult {
  @Doc('Id of the run, for get_run.')
  @IsString()
  run_id: string;

  @Doc('running: it has not ended yet.')
  @IsIn(['succeeded', 'running'])
  status: 'succeeded' | 'running';

  @Doc('What came of it, once it has succeeded.')
  @IsOptional()
  @IsObject()
  output?: object;

  @Doc('What to do about it, if anything.')
  @IsOptional()
  @IsString()
  message?: string;
}
