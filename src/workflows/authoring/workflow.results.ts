import { Type } from 'class-transformer';
import { IsArray, IsBoolean, IsInt, IsObject, IsString, ValidateNested } from 'class-validator';
import { PageResult } from '../../paging/paging.js';
import { Doc, Nullable } from '../../tools/schema/doc.decorator.js';
import type { Step } from '../definitions/definition.js';
import { toTriggerView } from '../store/version-content.js';
import type { Workflow } from '../store/workflow.entity.js';

/** A workflow as callers see it. */
export class WorkflowView {
  @IsString()
  @Doc('Id of the workflow. Without a secret, whoever knows it can start the workflow by webhook.')
  id: string;

  @IsString()
  @Doc('Name for people.')
  name: string;

  @IsBoolean()
  @Doc('Only an active workflow can be started.')
  active: boolean;

  @IsInt()
  @Doc('Counts its changes. A run keeps to the version it began with.')
  version: number;

  @IsObject()
  @Doc(
    '{type} and what belongs to it, with secret: true when webhooks must be signed. The secret itself is never shown.',
  )
  trigger: object;

  @IsArray()
  @IsObject({ each: true })
  @Doc('Steps, as they were given.')
  steps: object[];

  @IsString()
  @Nullable()
  @Doc('Where a POST of a JSON object starts it; null without a webhook.')
  webhook_url: string | null;

  @IsString()
  @Doc('RFC 3339, UTC.')
  created_at: string;

  @IsString()
  @Doc('RFC 3339, UTC.')
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
    steps: [...steps],
    webhook_url: isWebhook ? `${baseUrl}/api/webhooks/workflow/${workflow.id}` : null,
    created_at: workflow.createdAt.toISOString(),
    updated_at: workflow.updatedAt.toISOString(),
  };
}

export class WorkflowResult {
  @ValidateNested()
  @Type(() => WorkflowView)
  workflow: WorkflowView;
}

export class SavedWorkflowResult {
  @ValidateNested()
  @Type(() => WorkflowView)
  workflow: WorkflowView;

  @Doc('Secret of the webhook, if this call set one. It is never shown again.')
  @Nullable()
  @IsString()
  secret: string | null;
}

export class DeletedWorkflowResult {
  @IsBoolean()
  deleted: boolean;
}

export class WorkflowPage extends PageResult {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => WorkflowView)
  workflows: WorkflowView[];
}
