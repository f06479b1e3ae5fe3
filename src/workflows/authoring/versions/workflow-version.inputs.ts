import { PageInput } from '../../../paging/paging.js';
import { Doc } from '../../../tools/schema/doc.decorator.js';
import { Integer, Text } from '../../../tools/schema/fields.js';
import { WorkflowIdInput } from '../../store/workflow-id.inputs.js';
import { MAX_VERSION } from '../../store/version-content.js';

export class WorkflowVersionInput extends WorkflowIdInput {
  @Integer('Number of the version.', { min: 1, max: MAX_VERSION })
  version: number;
}

export class DiffWorkflowVersionsInput extends WorkflowIdInput {
  @Integer('Earlier version.', { min: 1, max: MAX_VERSION })
  from: number;

  @Integer('Later version.', { min: 1, max: MAX_VERSION })
  to: number;
}

export class ListWorkflowVersionsInput extends PageInput {
  @Text({ min: 1, max: 64 })
  workflow_id: string;
}

export class RestoreWorkflowVersionInput extends WorkflowVersionInput {
  @Doc('The newest version that you know. If there is a newer version, nothing is changed.')
  @Integer({ optional: true, min: 1, max: MAX_VERSION })
  expected_version?: number;
}
