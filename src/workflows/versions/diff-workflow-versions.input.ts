import { IsInt, IsString, Length, Max, Min } from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';
import { MOST_VERSIONS } from '../saved/version-content.js';

export class DiffWorkflowVersionsInput {
  @Doc('Id of the workflow.')
  @IsString()
  @Length(1, 64)
  workflow_id: string;

  @Doc('Version to begin with.')
  @IsInt()
  @Min(1)
  @Max(MOST_VERSIONS)
  from: number;

  @Doc('Version to compare it with.')
  @IsInt()
  @Min(1)
  @Max(MOST_VERSIONS)
  to: number;
}
