import type { AuthenticatedKey } from '../keys/keys.service.js';
import type { TaskCaller } from '../tools/pipeline/tasks.js';
import type { Era } from './era.js';
import { JsonRpcError } from './json-rpc-error.js';
import { type JsonObject, isJsonObject, metaOf } from './json-rpc.js';
import { CAPABILITIES_KEY } from './modern-request.js';

const ID = 'io.modelcontextprotocol/tasks';

/** How both sides declare the Tasks extension among their capabilities; it has no settings. */
export const TASKS_CAPABILITY = { extensions: { [ID]: {} } } as const;

/** Whether the answer to this request may be a task: only if the request itself says so. */
export function takesTasks(params: JsonObject, era: Era['name']): boolean {
  if (era !== 'modern') return false;
  const capabilities = metaOf(params)[CAPABILITIES_KEY];
  const extensions = isJsonObject(capabilities) ? capabilities.extensions : undefined;
  return isJsonObject(extensions) && Object.hasOwn(extensions, ID) && isJsonObject(extensions[ID]);
}

/** Throws -32021 for a request that does not say so. */
export function assertTakesTasks(params: JsonObject, era: Era['name']): void {
  if (!takesTasks(params, era)) throw JsonRpcError.missingCapability(TASKS_CAPABILITY);
}

/** The holder of a key, as tasks know it. */
export function callerOf({ id, organizationId, toolPolicies }: AuthenticatedKey): TaskCaller {
  return { organizationId, actor: { kind: 'key', id }, policies: toolPolicies };
}
