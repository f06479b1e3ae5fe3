import { IsString, Length } from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';

export class WorkflowIdInput {
  @Doc('Id of the workflow.')
  @IsString()
  @Length(1, 64)
  workflow_id: string;
}
