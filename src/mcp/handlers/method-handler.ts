import type { AuthenticatedKey } from '../../keys/keys.service.js';
import type { EraEncoder } from '../encoders/era-encoder.js';
import type { Era } from '../era.js';
import type { AnswerStream } from '../event-stream.js';
import { JsonRpcError } from '../json-rpc-error.js';
import type { JsonObject, JsonRpcId } from '../json-rpc.js';

/** Who calls a method, and how its result is to be written. */
export interface MethodContext {
  /** Of the request, in MCP 2026-07-28. */
  readonly id?: JsonRpcId;
  readonly key: AuthenticatedKey;
  readonly era: Era['name'];
  readonly encoder: EraEncoder;
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  /** By `performance.now()`, until when tools may wait for the caller; absent: as long as they like. */
  readonly answerBy?: number;
  /** Takes what is to be told before the result; absent where the caller can be told nothing. */
  readonly stream?: AnswerStream;
}

/** JSON text; in UTF-8 where it is kept to be sent again, because writing it anew takes longer than most answers. */
export type JsonText = string | Buffer;

/** Returns the JSON text of the result; throws `JsonRpcError` for parameters that the protocol refuses. */
export type MethodHandler = (
  params: JsonObject,
  context: MethodContext,
) => JsonText | Promise<JsonText>;

/** True of what a call throws that stopped because nobody waits for it any more. */
export function isCancellation(thrown: unknown, signal: AbortSignal): boolean {
  return signal.aborted && thrown === signal.reason;
}

/** Throws -32602 for every cursor: our lists are one page, so none was ever given out. */
export function assertFirstPage({ cursor }: JsonObject): void {
  if (cursor !== undefined && cursor !== null) {
    throw JsonRpcError.invalidParams('this cursor is not known.');
  }
}
