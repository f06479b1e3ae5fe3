import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { toError } from '../errors/app-error.js';
import { encodeError, encodeResult, JsonRpcError, METHOD_NOT_FOUND } from './json-rpc-error.js';
import type { JsonObject, Member } from './json-rpc.js';
import { type MethodContext, Methods } from './methods.js';

/** Runs one member of a message and writes its response; a bug in there fails that member only. */
@Injectable()
export class Dispatcher {
  private readonly logger = new Logger('Mcp');

  constructor(private readonly methods: Methods) {}

  /** JSON text of the response; undefined where JSON-RPC wants none. */
  async dispatch(member: Member, context: MethodContext): Promise<string | undefined> {
    switch (member.kind) {
      case 'invalid':
        return encodeError(member.id, JsonRpcError.invalidRequest(member.reason));
      case 'response':
        return undefined;
      case 'notification':
        await this.notify(member, context);
        return undefined;
      case 'request':
        try {
          return encodeResult(member.id, await this.run(member, context));
        } catch (thrown) {
          return encodeError(member.id, this.toJsonRpcError(thrown, member.method));
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

  private async run(
    { method: name, params = {} }: { method: string; params?: JsonObject | unknown[] },
    context: MethodContext,
  ): Promise<string> {
    const method = this.methods.find(name);
    if (!method) throw new JsonRpcError(METHOD_NOT_FOUND, 'Method not found');
    if (Array.isArray(params)) {
      throw JsonRpcError.invalidParams('parameters are taken by name, in an object.');
    }
    return await method(params, context);
  }

  private toJsonRpcError(thrown: unknown, method: string): JsonRpcError {
    if (thrown instanceof JsonRpcError) return thrown;
    const errorId = randomUUID();
    this.logger.error({ error_id: errorId, method }, toError(thrown).stack);
    return JsonRpcError.internal(errorId);
  }
}
