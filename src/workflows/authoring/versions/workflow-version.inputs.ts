import { IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { PageInput } from '../../../paging/paging.js';
import { Doc } from '../../../tools/schema/doc.decorator.js';
import { WorkflowIdInput } from '../../store/workflow-id.input.js';
import { MAX_VERSION } from '../../store/version-content.js';

export class WorkflowVersionInput extends WorkflowIdInput {
  @Doc('Number of the version.')
  @IsInt()
  @Min(1)
  @Max(MAX_VERSION)
  version: number;
}

export class DiffWorkflowVersionsInput extends WorkflowIdInput {
  @Doc('Version to begin with.')
  @IsInt()
  @Min(1)
  @Max(MAX_VERSION)
  from: number;

  @Doc('Version to compare it with.')
  @IsInt()
  @Min(1)
  @Max(MAX_VERSION)
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
  @Max(MAX_VERSION)
  expected_version?: number;
}
