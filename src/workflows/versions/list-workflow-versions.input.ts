import { IsString, Length } from 'class-validator';
import { PageInput } from '../../tools/page.input.js';
import { Doc } from '../../tools/schema/doc.decorator.js';

export class ListWorkflowVersionsInput extends PageInput {
  @Doc('Id of the workflow.')
  @IsString()
  @Length(1, 64)
  workflow_id: string;
}
