import { Text } from '../../tools/schema/fields.js';

export class WorkflowIdInput {
  @Text({ min: 1, max: 64 })
  workflow_id: string;
}
