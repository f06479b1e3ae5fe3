import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { toError } from '../errors/app-error.js';
import { encodeError, encodeResult, JsonRpcError, METHOD_NOT_FOUND } from './json-rpc-error.js';
import type { JsonObject, JsonRpcId, Member } from './json-rpc.js';
import { isCancellation, type JsonText, type MethodContext } from './handlers/method-handler.js';
import { MethodTable } from './handlers/method-table.js';

/** JSON text of a response, with the code of its error if it is one. */
export interface Reply {
  readonly text: JsonText;
  readonly errorCode?: number;
}

/** Runs the members of a message and writes their responses; a bug in one of them fails that member only. */
@Injectable()
export class Dispatcher {
  private readonly logger = new Logger('Mcp');

  constructor(private readonly methods: MethodTable) {}

  /**
   * Runs them one after the other: a caller may rely on the order, and each call may hold a database connection. There
   * is no reply where JSON-RPC wants no response, and where nobody waits for it any more.
   */
  async dispatch(members: readonly Member[], context: MethodContext): Promise<Reply[]> {
    const replies: Reply[] = [];
    for (const member of members) {
      if (member.kind === 'response') continue;
      if (member.kind === 'invalid') {
        replies.push(errorReply(member.id, JsonRpcError.invalidRequest(member.reason)));
        continue;
      }
      // Not in a method of its own, whose promises would each run the hooks of AsyncLocalStorage on Node 20.
      try {
        const result = await this.run(member, context);
        if (member.kind === 'request') replies.push({ text: encodeResult(member.id, result) });
      } catch (thrown) {
        if (isCancellation(thrown, context.signal)) continue;
        // Nobody can be told of a notification (JSON-RPC 2.0, section 4.1), but a bug still belongs in the log.
        const error = this.toJsonRpcError(thrown, member.method);
        if (member.kind === 'request') replies.push(errorReply(member.id, error));
      }
    }
    return replies;
  }

  private run(
    { method: name, params = {} }: { method: string; params?: JsonObject | unknown[] },
    context: MethodContext,
  ): JsonText | Promise<JsonText> {
    const method = this.methods.find(name, context.era);
    if (!method) throw new JsonRpcError(METHOD_NOT_FOUND, 'Method not found');
    if (Array.isArray(params)) {
      throw JsonRpcError.invalidParams('parameters are taken by name, in an object.');
    }
    return method(params, context);
  }

  private toJsonRpcError(thrown: unknown, method: string): JsonRpcError {
    if (thrown instanceof JsonRpcError) return thrown;
    const errorId = randomUUID();
    this.logger.error({ error_id: errorId, method }, toError(thrown).stack);
    return JsonRpcError.internal(errorId);
  }
}

function errorReply(id: JsonRpcId | null, error: JsonRpcError): Reply {
  return { text: encodeError(id, error), errorCode: error.code };
}
