import { PageResult } from '../../paging/paging.js';
import {
  Flag,
  Integer,
  JsonObject,
  ListOf,
  Nested,
  ObjectList,
  Text,
  TextList,
  Timestamp,
} from '../../tools/schema/fields.js';
import type { Step } from '../definitions/definition.js';
import { stepsView } from '../definitions/steps/failure-step.js';
import { toTriggerView } from '../store/version-content.js';
import type { Workflow } from '../store/workflow.entity.js';

export class WorkflowView {
  @Text('Id of the workflow. If its webhook has no secret, anybody who knows this id can start it.')
  id: string;

  @Text('Name shown to people.')
  name: string;

  @Flag('Only an active workflow can be started.')
  active: boolean;

  @Integer('Grows with each change. A run keeps the version with which it started.')
  version: number;

  @JsonObject(
    '{type} and its options, with secret: true if webhooks must be signed. The secret itself is never shown.',
  )
  trigger: object;

  @ObjectList('Steps as they were saved.')
  steps: object[];

  @ObjectList('Steps that run after the run has failed.', { optional: true })
  on_failure?: object[];

  @Text('POST a JSON object to this URL to start the workflow; null without a webhook.', {
    nullable: true,
  })
  webhook_url: string | null;

  @TextList('Next times of an active schedule, at most five. Lists leave them out.', {
    optional: true,
  })
  next_times?: string[];

  @Timestamp()
  created_at: string;

  @Timestamp()
  updated_at: string;
}

export function workflowView(
  workflow: Workflow,
  steps: readonly Step[],
  baseUrl: string,
): WorkflowView {
  const isWebhook = workflow.triggerType === 'webhook';
  return {
    id: workflow.id,
    name: workflow.name,
    active: workflow.active,
    version: workflow.version,
    trigger: toTriggerView(workflow),
    ...stepsView(steps),
    webhook_url: isWebhook ? `${baseUrl}/api/webhooks/workflow/${workflow.id}` : null,
    created_at: workflow.createdAt.toISOString(),
    updated_at: workflow.updatedAt.toISOString(),
  };
}

export class WorkflowResult {
  @Nested(() => WorkflowView)
  workflow: WorkflowView;
}

export class SavedWorkflowResult {
  @Nested(() => WorkflowView)
  workflow: WorkflowView;

  @Text('Secret of the webhook, if this call set one.', { nullable: true })
  secret: string | null;
}

export class UpdatedWorkflowResult extends SavedWorkflowResult {
  @TextList('Removed members of the trigger.', { optional: true })
  removed?: string[];
}

export class DeletedWorkflowResult {
  @Flag()
  deleted: boolean;
}

export class WorkflowSchemaResult {
  @JsonObject('JSON Schema of definitions: {name, trigger, steps}.')
  schema: object;
}

export class WorkflowPage extends PageResult {
  @ListOf(() => WorkflowView)
  workflows: WorkflowView[];
}
