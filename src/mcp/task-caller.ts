import type { AuthenticatedKey } from '../keys/authenticated-key.js';
import type { TaskCaller } from '../tools/tasks.js';

/** The holder of a key, as tasks know it. */
export function callerOf({ id, organizationId, toolPolicies }: AuthenticatedKey): TaskCaller {
  return { organizationId, actor: { kind: 'key', id }, policies: toolPolicies };
}
