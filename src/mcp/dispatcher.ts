import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { toError } from '../errors/app-error.js';
import { encodeError, encodeResult, JsonRpcError, METHOD_NOT_FOUND } from './json-rpc-error.js';
import type { JsonObject, JsonRpcId, Member } from './json-rpc.js';
import { isCancellation, type JsonText, type MethodContext } from './method.js';
import { Methods } from './methods.js';

/** JSON text of a response, with the code of its error if it is one. */
export interface Reply {
  readonly text: JsonText;
  readonly errorCode?: number;
}

/** Runs one member of a message and writes its response; a bug in there fails that member only. */
@Injectable()
export class Dispatcher {
  private readonly logger = new Logger('Mcp');

  constructor(private readonly methods: Methods) {}

  /** Undefined where JSON-RPC wants no response, and where nobody waits for it any more. */
  async dispatch(member: Member, context: MethodContext): Promise<Reply | undefined> {
    switch (member.kind) {
      case 'invalid':
        return errorReply(member.id, JsonRpcError.invalidRequest(member.reason));
      case 'response':
        return undefined;
      case 'notification':
        await this.notify(member, context);
        return undefined;
      case 'request':
        try {
          return { text: encodeResult(member.id, await this.run(member, context)) };
        } catch (thrown) {
          if (isCancellation(thrown, context.signal)) return undefined;
          return errorReply(member.id, this.toJsonRpcError(thrown, member.method));
        }
    }
  }

  private async notify(
    member: Member & { kind: 'notification' },
    context: MethodContext,
  ): Promise<void> {
    try {
      await this.run(member, context);
    } catch (thrown) {
      // Nobody can be told (JSON-RPC 2.0, section 4.1), but a bug still belongs in the log.
      this.toJsonRpcError(thrown, member.method);
    }
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
