import type { TriggerOptions, TriggerType } from '../definitions/trigger.js';
import { toTriggerMembers, WEBHOOK_OPTION_MEMBERS } from '../definitions/webhook-options.js';
import type { Workflow } from './workflow.entity.js';

/** The largest integer of PostgreSQL. */
export const MAX_VERSION = 2_147_483_647;

/** The editable parts of a workflow besides its steps, in the form that callers use. */
export interface VersionContent {
  name: string;
  /** The type of the trigger and the members of that type. */
  trigger: { type: TriggerType } & Pick<TriggerOptions, 'run_timeout_seconds'>;
}

/**
 * Returns the content that a version stores: everything that `update_workflow` accepts. So each change creates a
 * version and can be restored. The content does not contain the secret of a webhook, but says whether the webhook had a
 * secret.
 */
export function toVersionContent(workflow: Workflow): VersionContent {
  return { name: workflow.name, trigger: toTriggerView(workflow) };
}

/** Returns the trigger in the form that callers see and send. */
export function toTriggerView(workflow: Workflow): VersionContent['trigger'] {
  const { triggerType: type, triggerOptions, webhookOptions } = workflow;
  // A workflow with another trigger keeps the secret and the options of its webhook for later, but does not use them.
  if (type !== 'webhook') return { type, ...triggerOptions };
  return {
    type,
    ...triggerOptions,
    ...(workflow.secret !== null && { secret: true }),
    ...toTriggerMembers(webhookOptions),
  };
}

/**
 * Returns the arguments of `update_workflow` that restore the content. A member that is missing in the version becomes
 * null, because an absent member would stay unchanged. A missing secret is generated if the version had one.
 */
export function toWorkflowUpdate({ name, trigger }: VersionContent): {
  name: string;
  trigger: object;
} {
  const members = trigger.type === 'webhook' ? Object.values(WEBHOOK_OPTION_MEMBERS) : [];
  const removed = Object.fromEntries(members.map((member) => [member, null]));
  return { name, trigger: { ...removed, ...trigger } };
}
