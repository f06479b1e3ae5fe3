import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { RetentionView } from './retention-view.js';

export class RetentionResult {
  @ValidateNested()
  @Type(() => RetentionView)
  retention: RetentionView;
}
