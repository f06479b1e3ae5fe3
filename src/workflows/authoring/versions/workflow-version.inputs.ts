import { IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { PageInput } from '../../../paging/page.input.js';
import { Doc } from '../../../tools/schema/doc.decorator.js';
import { MOST_VERSIONS } from '../../store/version-content.js';

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

export class ListWorkflowVersionsInput extends PageInput {
  @Doc('Id of the workflow.')
  @IsString()
  @Length(1, 64)
  workflow_id: string;
}

export class RestoreWorkflowVersionInput extends WorkflowVersionInput {
  @Doc(
    'The newest version that the caller knows of. Where there is a newer one, nothing is changed.',
  )
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MOST_VERSIONS)
  expected_version?: number;
}
