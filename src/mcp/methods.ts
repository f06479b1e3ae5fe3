import { Injectable, Logger } from '@nestjs/common';
import { AppError, toError } from '../errors/app-error.js';
import type { AuthenticatedKey } from '../keys/authenticated-key.js';
import { didYouMean } from '../tools/nearest-names.js';
import type { RegisteredTool } from '../tools/registered-tool.js';
import { ToolRegistry } from '../tools/tool-registry.js';
import type { EraEncoder } from './encoders/era-encoder.js';
import { DISCOVERY } from './encoders/modern.encoder.js';
import { type Era, isLegacyVersion, LATEST_LEGACY_VERSION } from './era.js';
import { INVALID_PARAMS, JsonRpcError } from './json-rpc-error.js';
import { isJsonObject, type JsonObject } from './json-rpc.js';
import { INSTRUCTIONS, SERVER_INFO } from './server-info.js';
import { toolError } from './tool-error.js';

/** Who calls a method, and how its result is to be written. */
export interface MethodContext {
  readonly key: AuthenticatedKey;
  readonly era: Era['name'];
  readonly encoder: EraEncoder;
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal;
}

/** Returns the JSON text of the result; throws {@link JsonRpcError} for parameters that the protocol refuses. */
export type Method = (params: JsonObject, context: MethodContext) => string | Promise<string>;

const MOST_SHOWN = 64;

/** The methods of each era. */
@Injectable()
export class Methods {
  private readonly logger = new Logger('Mcp');
  private readonly lists = new Map<EraEncoder, string>();
  private readonly tables: Record<Era['name'], ReadonlyMap<string, Method>>;

  constructor(private readonly tools: ToolRegistry) {
    const ofTools: [string, Method][] = [
      ['tools/list', (params, context) => this.listTools(params, context)],
      ['tools/call', (params, context) => this.callTool(params, context)],
    ];
    // Maps, because `constructor` and `__proto__` are no methods.
    const initialized = new Map([['initialize', initialize], ['ping', () => '{}'], ...ofTools]);
    this.tables = {
      // Callers from before the version header cannot be told from plain ones, and get what they need.
      plain: initialized,
      legacy: initialized,
      modern: new Map([['server/discover', () => DISCOVERY], ...ofTools]),
    };
  }

  find(name: string, era: Era['name']): Method | undefined {
    return this.tables[era].get(name);
  }

  private listTools(params: JsonObject, { encoder }: MethodContext): string {
    // All tools are on the first page, so no cursor was ever given out.
    if (params.cursor !== undefined && params.cursor !== null) {
      throw JsonRpcError.invalidParams('this cursor is not known.');
    }
    let list = this.lists.get(encoder);
    if (list === undefined) {
      list = encoder.toolList(this.tools.list('agent'));
      this.lists.set(encoder, list);
    }
    return list;
  }

  private async callTool(params: JsonObject, context: MethodContext): Promise<string> {
    const { name, arguments: given = {} } = params;
    if (typeof name !== 'string') throw JsonRpcError.invalidParams('name must be a string.');
    if (!isJsonObject(given)) throw JsonRpcError.invalidParams('arguments must be an object.');
    const tool = this.tools.find(name, 'agent');
    if (!tool) throw this.unknownTool(name);
    try {
      return context.encoder.toolResult(await this.resultOf(tool, given, context));
    } catch (thrown) {
      if (isCancellation(thrown, context.signal)) throw thrown;
      return context.encoder.toolFailure(JSON.stringify(this.describe(thrown, tool, context)));
    }
  }

  private async resultOf(
    tool: RegisteredTool,
    given: JsonObject,
    { key, signal }: MethodContext,
  ): Promise<string> {
    const result = await this.tools.call(tool, given, {
      organizationId: key.organizationId,
      surface: 'agent',
      actor: { kind: 'key', id: key.id },
      signal,
    });
    // Compiled code can return what its type forbids, and half an answer is worse than an error.
    if (!isJsonObject(result)) throw new Error('A tool must return an object.');
    return JSON.stringify(result);
  }

  private describe(thrown: unknown, tool: RegisteredTool, { key }: MethodContext): object {
    const call = { tool: tool.descriptor.name, organization: key.organizationId };
    if (thrown instanceof AppError && thrown.code === 'unavailable') {
      this.logger.warn({ ...call, cause: toError(thrown.cause ?? thrown).message });
    }
    return toolError(thrown, (errorId) => {
      this.logger.error({ ...call, error_id: errorId }, toError(thrown).stack);
    });
  }

  private unknownTool(name: string): JsonRpcError {
    const known = this.tools.list('agent').map((tool) => tool.name);
    const hint = didYouMean(name, known);
    const shown = name.length > MOST_SHOWN ? `${name.slice(0, MOST_SHOWN)}…` : name;
    // Half a surrogate pair, sent so or left by the cut, is not text that every client can decode.
    return new JsonRpcError(
      INVALID_PARAMS,
      `Unknown tool: ${shown.toWellFormed()}${hint && `.${hint}`}`,
    );
  }
}

/** True of what a call throws that stopped because nobody waits for it any more. */
export function isCancellation(thrown: unknown, signal: AbortSignal): boolean {
  return signal.aborted && thrown === signal.reason;
}

function initialize(params: JsonObject): string {
  const { protocolVersion: requested } = params;
  return JSON.stringify({
    protocolVersion: isLegacyVersion(requested) ? requested : LATEST_LEGACY_VERSION,
    // No listChanged: there is no stream on which a change could be told.
    capabilities: { tools: {} },
    serverInfo: SERVER_INFO,
    instructions: INSTRUCTIONS,
  });
}
