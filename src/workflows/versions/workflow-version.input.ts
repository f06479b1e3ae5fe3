import { IsInt, IsString, Length, Max, Min } from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';
import { MOST_VERSIONS } from '../saved/version-content.js';

export class WorkflowVersionInput {
  @Doc('Id of the workflow.')
  @IsString()
  @Length(1, 64)
  workflow_id: string;

  @Doc('Number of the version.')
  @IsInt()
  @Min(1)
  @Max(MOST_VERSIONS)
  version: number;
}
