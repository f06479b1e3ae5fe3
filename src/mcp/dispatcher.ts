import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { toError } from '../errors/app-error.js';
import { ShownBug } from '../errors/shown-bug.js';
import { isOutdated } from '../http/request-access.js';
import { type AuthenticatedKey, KeysService } from '../keys/keys.service.js';
import { signatureMask } from '../policies/hidden-signatures.js';
import { withJsonRpcErrors } from './app-error-encoding.js';
import {
  encodeError,
  encodeResult,
  JsonRpcError,
  METHOD_NOT_FOUND,
  UNAUTHENTICATED,
} from './json-rpc-error.js';
import type { JsonObject, JsonRpcId, JsonText, Member } from './json-rpc.js';
import { CAPABILITIES, INSTRUCTIONS, SERVER_INFO } from './server-info.js';
import { DISCOVERY } from './encoders/modern.encoder.js';
import { type Era, isLegacyVersion, LATEST_LEGACY_VERSION } from './era.js';
import {
  isCancellation,
  type MethodContext,
  type MethodHandler,
} from './handlers/method-handler.js';
import { ReadHandlers } from './handlers/read-handlers.js';
import { SubscriptionHandlers } from './handlers/subscription-handlers.js';
import { TaskHandlers } from './handlers/task-handlers.js';
import { ToolHandlers } from './handlers/tool-handlers.js';

export interface Reply {
  readonly text: JsonText;
  readonly errorCode?: number;
}

/**
 * Runs the members of a message and encodes their responses. A bug in one member fails that member only. In results and
 * errors, the dispatcher hides the signatures that the key may not use. `McpController` hides such signatures in
 * notifications.
 */
@Injectable()
export class Dispatcher {
  private readonly logger = new Logger('Mcp');
  /** The methods of each era, in maps, because objects would have the methods `constructor` and `__proto__`. */
  private readonly methods: Record<Era['name'], ReadonlyMap<string, MethodHandler>>;

  constructor(
    tools: ToolHandlers,
    tasks: TaskHandlers,
    subscriptions: SubscriptionHandlers,
    reads: ReadHandlers,
    private readonly keys: KeysService,
  ) {
    const shared: [string, MethodHandler][] = [
      ['tools/list', (params, context) => tools.list(params, context)],
      ['tools/call', (params, context) => tools.call(params, context)],
      ['resources/list', (params, context) => reads.listResources(params, context)],
      ['resources/templates/list', (params, context) => reads.listTemplates(params, context)],
      ['resources/read', (params, context) => reads.readResource(params, context)],
      ['prompts/list', (params, context) => reads.listPrompts(params, context)],
      ['prompts/get', (params, context) => reads.getPrompt(params, context)],
      ['completion/complete', (params, context) => reads.complete(params, context)],
    ];
    const initialized = new Map<string, MethodHandler>([
      ['initialize', initialize],
      ['ping', () => '{}'],
      ...shared,
    ]);
    this.methods = {
      // MCP clients that send no version header look like plain callers, so plain callers have `initialize` too.
      plain: initialized,
      legacy: initialized,
      modern: new Map<string, MethodHandler>([
        ['server/discover', () => DISCOVERY],
        ...shared,
        ['tasks/get', (params, context) => tasks.get(params, context)],
        ['tasks/update', (params, context) => tasks.update(params, context)],
        ['tasks/cancel', (params, context) => tasks.cancel(params, context)],
        ['subscriptions/listen', (params, context) => subscriptions.listen(params, context)],
      ]),
    };
  }

  /**
   * Runs the members in order, one at a time, because callers rely on the order and each call may use a database
   * connection. Notifications, and requests of a caller that has disconnected, have no response. Members that begin
   * after the key was revoked do not run, and members after a change of the policies run with the new policies.
   */
  async dispatch(members: readonly Member[], given: MethodContext): Promise<Reply[]> {
    const replies: Reply[] = [];
    let context = given;
    let mask = signatureMask(context.key.toolPolicies.restriction);
    for (const member of members) {
      if (member.kind === 'response') continue;
      if (member.kind === 'invalid') {
        replies.push(errorReply(member.id, JsonRpcError.invalidRequest(member.reason)));
        continue;
      }
      // The code is not in a separate method, because the promises of that method would make a batch a quarter slower
      // on Node.js 20.
      try {
        if (isOutdated(context.key.lookedUpAt)) {
          context = { ...context, key: await this.renew(context.key) };
          mask = signatureMask(context.key.toolPolicies.restriction);
        }
        const result = await this.run(member, context);
        if (member.kind !== 'request') continue;
        // A result that is a buffer is a list of tools. It contains no signatures, so it is not masked.
        const shown = mask && typeof result === 'string' ? mask(result) : result;
        replies.push({ text: encodeResult(member.id, shown) });
      } catch (thrown) {
        if (isCancellation(thrown, context.signal)) continue;
        // A notification gets no response (JSON-RPC 2.0, section 4.1), but a bug in its handler must be logged.
        const error = this.toJsonRpcError(thrown, member.method);
        if (member.kind !== 'request') continue;
        const reply = errorReply(member.id, error);
        replies.push(mask ? { ...reply, text: mask(reply.text) } : reply);
      }
    }
    return replies;
  }

  /** Looks the key up again, because an earlier member may have taken long. Throws when the key has ended. */
  private async renew(key: AuthenticatedKey): Promise<AuthenticatedKey> {
    const renewed = await withJsonRpcErrors(this.keys.renew(key));
    if (renewed) return { ...renewed, origin: key.origin };
    throw new JsonRpcError(
      UNAUTHENTICATED,
      'This API key has just ended, so the rest of the batch did not run. Ask an owner for the current key.',
    );
  }

  private run(
    { method: name, params = {} }: { method: string; params?: JsonObject | unknown[] },
    context: MethodContext,
  ): JsonText | Promise<JsonText> {
    const method = this.methods[context.era].get(name);
    if (!method) throw new JsonRpcError(METHOD_NOT_FOUND, 'Method not found');
    if (Array.isArray(params)) {
      throw JsonRpcError.invalidParams('params must be an object.');
    }
    return method(params, context);
  }

  private toJsonRpcError(thrown: unknown, method: string): JsonRpcError {
    if (thrown instanceof JsonRpcError) return thrown;
    const errorId = randomUUID();
    this.logger.error({ error_id: errorId, method }, toError(thrown).stack);
    return JsonRpcError.internal(errorId, thrown instanceof ShownBug ? thrown.message : undefined);
  }
}

function errorReply(id: JsonRpcId | null, error: JsonRpcError): Reply & { text: string } {
  return { text: encodeError(id, error), errorCode: error.code };
}

function initialize(params: JsonObject): string {
  const { protocolVersion: requested } = params;
  const protocolVersion = isLegacyVersion(requested) ? requested : LATEST_LEGACY_VERSION;
  const { completions, ...others } = CAPABILITIES;
  return JSON.stringify({
    protocolVersion,
    // The first MCP revision has the methods of completions, but no capability for them.
    capabilities: { ...others, ...(protocolVersion >= '2025-03-26' && { completions }) },
    serverInfo: SERVER_INFO,
    instructions: INSTRUCTIONS,
  });
}
