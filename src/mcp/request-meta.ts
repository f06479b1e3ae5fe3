import type { AuthenticatedKey } from '../keys/keys.service.js';
import { isJsonObject } from '../text/is-json-object.js';
import type { TaskCaller } from '../tools/pipeline/tasks.js';
import type { Era } from './era.js';
import { JsonRpcError } from './json-rpc-error.js';
import { type JsonObject, type Member, metaOf } from './json-rpc.js';
import { CAPABILITIES_KEY } from './modern-request.js';

/** The member of `_meta` that makes a `tools/call` a dry run. In the result, this member contains the effects. */
export const DRY_RUN_KEY = 'switchboard/dryRun';

/** Returns true if a `tools/call` is a dry run. Throws -32602 for a value that is not a boolean. */
export function readDryRun(params: JsonObject): boolean {
  const flag = flagOf(params);
  if (typeof flag === 'boolean') return flag;
  throw JsonRpcError.invalidParams(`_meta["${DRY_RUN_KEY}"] must be true or false.`);
}

/** Throws -32602 for a dry run of a method that cannot be a dry run. */
export function refuseDryRun(params: JsonObject): void {
  if (readDryRun(params)) throw JsonRpcError.invalidParams('only tools/call can be a dry run.');
}

/** Returns the number of dry runs in a batch. Calls with an invalid value do not count, because they never run. */
export function dryRunsIn(batch: readonly Member[]): 'none' | 'some' | 'all' {
  const flags = batch
    .filter((member) => 'method' in member && member.method === 'tools/call')
    .map((member) => flagOf('params' in member ? member.params : undefined));
  if (!flags.includes(true)) return 'none';
  return flags.includes(false) ? 'some' : 'all';
}

/**
 * The member of `_meta` that makes a `tools/call` happen once, even for a tool without an argument `idempotency_key`.
 */
export const IDEMPOTENCY_KEY = 'switchboard/idempotencyKey';
const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/** Returns the idempotency key of a `tools/call`, if it has one. Throws -32602 for a value that is not a key. */
export function readIdempotencyKey(params: JsonObject): string | undefined {
  const meta = metaOf(params);
  if (!Object.hasOwn(meta, IDEMPOTENCY_KEY)) return undefined;
  const key = meta[IDEMPOTENCY_KEY];
  if (typeof key === 'string' && VISIBLE_ASCII.test(key)) return key;
  throw JsonRpcError.invalidParams(
    `_meta["${IDEMPOTENCY_KEY}"] must be a text of 1 to 255 visible ASCII characters.`,
  );
}

function flagOf(params: unknown): unknown {
  const meta = metaOf(params);
  return Object.hasOwn(meta, DRY_RUN_KEY) ? meta[DRY_RUN_KEY] : false;
}

const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** The capability by which client and server declare the Tasks extension. It has no settings. */
export const TASKS_CAPABILITY = { extensions: { [TASKS_EXTENSION]: {} } } as const;

export function takesTasks(params: JsonObject, era: Era['name']): boolean {
  if (era !== 'modern') return false;
  const capabilities = metaOf(params)[CAPABILITIES_KEY];
  const extensions = isJsonObject(capabilities) ? capabilities.extensions : undefined;
  return (
    isJsonObject(extensions) &&
    Object.hasOwn(extensions, TASKS_EXTENSION) &&
    isJsonObject(extensions[TASKS_EXTENSION])
  );
}

export function assertTakesTasks(params: JsonObject, era: Era['name']): void {
  if (!takesTasks(params, era)) throw JsonRpcError.missingCapability(TASKS_CAPABILITY);
}

export function taskCallerOf(key: AuthenticatedKey): TaskCaller {
  const { id, organizationId, toolPolicies, origin } = key;
  return { organizationId, actor: { kind: 'key', id }, policies: toolPolicies, origin };
}
