import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';
import { MOST_VERSIONS } from '../saved/version-content.js';
import { WorkflowVersionInput } from './workflow-version.input.js';

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
