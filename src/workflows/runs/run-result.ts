import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { RunView } from './run-view.js';

export class RunResult {
  @ValidateNested()
  @Type(() => RunView)
  run: RunView;
}
