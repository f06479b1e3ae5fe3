import type { AuthenticatedKey } from '../../keys/keys.service.js';
import type { EraEncoder } from '../encoders/era-encoder.js';
import type { Era } from '../era.js';
import type { NotificationStream } from '../event-stream.js';
import { JsonRpcError } from '../json-rpc-error.js';
import type { JsonObject, JsonRpcId, JsonText } from '../json-rpc.js';

export interface MethodContext {
  /** The id of the request, in MCP 2026-07-28 only. */
  readonly id?: JsonRpcId;
  readonly key: AuthenticatedKey;
  readonly era: Era['name'];
  readonly encoder: EraEncoder;
  /** The signal that aborts when the caller no longer waits for the result. */
  readonly signal: AbortSignal;
  /** The time of `performance.now()` before which the result must come. When absent, tools may wait without a limit. */
  readonly answerBy?: number;
  /** Sends notifications before the result. Absent if the caller accepts none. */
  readonly stream?: NotificationStream;
}

/** Returns the JSON text of the result. Throws `JsonRpcError` for parameters that the protocol forbids. */
export type MethodHandler = (
  params: JsonObject,
  context: MethodContext,
) => JsonText | Promise<JsonText>;

export function isCancellation(thrown: unknown, signal: AbortSignal): boolean {
  return signal.aborted && thrown === signal.reason;
}

/** Throws -32602 for every cursor: each list is one page, so no cursor was ever returned. */
export function assertFirstPage({ cursor }: JsonObject): void {
  if (cursor !== undefined && cursor !== null) {
    throw JsonRpcError.invalidParams('cursor is not known: each list is one page.');
  }
}
