import { IsString, Length } from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';

export class RunIdInput {
  @Doc('Id of the run.')
  @IsString()
  @Length(1, 64)
  run_id: string;
}
