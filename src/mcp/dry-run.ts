import { JsonRpcError } from './json-rpc-error.js';
import { type JsonObject, type Member, metaOf } from './json-rpc.js';

/** Member of `_meta` that makes a `tools/call` a dry run, and that tells its effects in the result. */
export const DRY_RUN_KEY = 'switchboard/dryRun';

/** Whether a `tools/call` is a dry run. Throws -32602 for anything but true and false, which could mean either. */
export function readDryRun(params: JsonObject): boolean {
  const flag = flagOf(params);
  if (typeof flag === 'boolean') return flag;
  throw JsonRpcError.invalidParams(`_meta["${DRY_RUN_KEY}"] must be true or false.`);
}

/** For methods that have effects and cannot be tried: to do it all the same would be the worst answer. */
export function refuseDryRun(params: JsonObject): void {
  if (readDryRun(params)) throw JsonRpcError.invalidParams('only tools/call can be a dry run.');
}

/** How many of the `tools/call` in a batch are dry runs. Those that say neither yes nor no do not count: none runs. */
export function dryRunsIn(batch: readonly Member[]): 'none' | 'some' | 'all' {
  const flags = batch
    .filter((member) => 'method' in member && member.method === 'tools/call')
    .map((member) => flagOf('params' in member ? member.params : undefined));
  if (!flags.includes(true)) return 'none';
  return flags.includes(false) ? 'some' : 'all';
}

function flagOf(params: unknown): unknown {
  const meta = metaOf(params);
  return Object.hasOwn(meta, DRY_RUN_KEY) ? meta[DRY_RUN_KEY] : false;
}
