import type { TriggerType } from '../definitions/trigger.js';
import type { Workflow } from './workflow.entity.js';

/** Versions are numbered with integers of PostgreSQL. */
export const MOST_VERSIONS = 2_147_483_647;

/** What people edit of a workflow besides its steps, in the form in which they give it. */
export interface VersionContent {
  name: string;
  /** With what belongs to the type. */
  trigger: { type: TriggerType };
}

/**
 * What a version keeps of a workflow: whatever `update_workflow` takes belongs here, so that a change of it makes a
 * version and can be brought back. Of a secret it keeps only that there was one.
 */
export function contentOf(workflow: Workflow): VersionContent {
  return { name: workflow.name, trigger: triggerOf(workflow) };
}

/** The trigger as callers see it, and as it could be given back. */
export function triggerOf(workflow: Workflow): VersionContent['trigger'] {
  const { toleranceSeconds, waitSeconds } = workflow.webhookOptions;
  return {
    type: workflow.triggerType,
    ...workflow.triggerOptions,
    ...(workflow.secret !== null && { secret: true }),
    ...(toleranceSeconds !== undefined && { tolerance_seconds: toleranceSeconds }),
    ...(waitSeconds !== undefined && { wait_seconds: waitSeconds }),
  };
}

/**
 * The content as `update_workflow` takes it: what is absent there stays as it is, so what this version does not have is
 * to be removed. Where it had a secret, one is kept or made; where it had none, one that is there now stays.
 */
export function asUpdate({ name, trigger }: VersionContent): { name: string; trigger: object } {
  const removed = trigger.type === 'webhook' && { tolerance_seconds: null, wait_seconds: null };
  return { name, trigger: { ...removed, ...trigger } };
}
