import { JsonRpcError } from './json-rpc-error.js';
import type { JsonObject } from './json-rpc.js';

/** Throws -32602 for every cursor: our lists are one page, so none was ever given out. */
export function assertFirstPage({ cursor }: JsonObject): void {
  if (cursor !== undefined && cursor !== null) {
    throw JsonRpcError.invalidParams('this cursor is not known.');
  }
}
