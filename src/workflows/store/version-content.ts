import type { TriggerType } from '../definitions/trigger.js';
import type { Workflow } from './workflow.entity.js';

/** This is the largest PostgreSQL integer. */
export const MAX_VERSION = 2_147_483_647;

/** Holds the editable parts of a workflow besides its steps, in the form that callers use. */
export interface VersionContent {
  name: string;
  /** Has the type of the trigger and the members of that type. */
  trigger: { type: TriggerType };
}

/**
 * Returns the content that a version stores: everything that `update_workflow` accepts, so that each change creates a
 * version and can be restored. It stores only whether there was a secret.
 */
export function toVersionContent(workflow: Workflow): VersionContent {
  return { name: workflow.name, trigger: toTriggerView(workflow) };
}

/** Returns the trigger in the form that callers see and send. */
export function toTriggerView(workflow: Workflow): VersionContent['trigger'] {
  const { triggerType: type, triggerOptions, webhookOptions } = workflow;
  // Another trigger keeps the secret and the options of the webhook for later, but does not use them.
  if (type !== 'webhook') return { type, ...triggerOptions };
  const { toleranceSeconds, waitSeconds, dedupeSeconds } = webhookOptions;
  return {
    type,
    ...triggerOptions,
    ...(workflow.secret !== null && { secret: true }),
    ...(toleranceSeconds !== undefined && { tolerance_seconds: toleranceSeconds }),
    ...(waitSeconds !== undefined && { wait_seconds: waitSeconds }),
    ...(dedupeSeconds !== undefined && { dedupe_seconds: dedupeSeconds }),
  };
}

/**
 * Returns the arguments of `update_workflow` that restore the content. Members that the version does not have become
 * null, because absent members would stay unchanged. A missing secret is generated if the version had one.
 */
export function toWorkflowUpdate({ name, trigger }: VersionContent): {
  name: string;
  trigger: object;
} {
  const removed = trigger.type === 'webhook' && {
    tolerance_seconds: null,
    wait_seconds: null,
    dedupe_seconds: null,
  };
  return { name, trigger: { ...removed, ...trigger } };
}
