import { IsString } from 'class-validator';
import { Doc } from '../tools/schema/doc.decorator.js';

export class TriggeredRunResult {
  @Doc('Id of the run, for get_run.')
  @IsString()
  run_id: string;
}
