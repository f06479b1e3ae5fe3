import type { AuthenticatedKey } from '../keys/keys.service.js';
import type { TaskCaller } from '../tools/pipeline/tasks.js';
import type { Era } from './era.js';
import { JsonRpcError } from './json-rpc-error.js';
import { type JsonObject, isJsonObject, metaOf } from './json-rpc.js';
import { CAPABILITIES_KEY } from './modern-request.js';

const ID = 'io.modelcontextprotocol/tasks';

/** The capability with which both sides declare the Tasks extension. It has no settings. */
export const TASKS_CAPABILITY = { extensions: { [ID]: {} } } as const;

/** Returns true if the request declares that its response may be a task. */
export function takesTasks(params: JsonObject, era: Era['name']): boolean {
  if (era !== 'modern') return false;
  const capabilities = metaOf(params)[CAPABILITIES_KEY];
  const extensions = isJsonObject(capabilities) ? capabilities.extensions : undefined;
  return isJsonObject(extensions) && Object.hasOwn(extensions, ID) && isJsonObject(extensions[ID]);
}

/** Throws -32021 unless the request declares it. */
export function assertTakesTasks(params: JsonObject, era: Era['name']): void {
  if (!takesTasks(params, era)) throw JsonRpcError.missingCapability(TASKS_CAPABILITY);
}

/** Returns the caller of tasks for an API key. */
export function taskCallerOf({ id, organizationId, toolPolicies }: AuthenticatedKey): TaskCaller {
  return { organizationId, actor: { kind: 'key', id }, policies: toolPolicies };
}
