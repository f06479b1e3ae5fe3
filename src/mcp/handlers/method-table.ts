import { Injectable } from '@nestjs/common';
import { DISCOVERY } from '../encoders/modern.encoder.js';
import { type Era, isLegacyVersion, LATEST_LEGACY_VERSION } from '../era.js';
import type { JsonObject } from '../json-rpc.js';
import type { MethodHandler } from './method-handler.js';
import { SubscriptionHandlers } from './subscription-handlers.js';
import { TaskHandlers } from './task-handlers.js';
import { CompletionHandlers } from './completion-handlers.js';
import { PromptHandlers } from './prompt-handlers.js';
import { ResourceHandlers } from './resource-handlers.js';
import { ToolHandlers } from './tool-handlers.js';
import { CAPABILITIES, INSTRUCTIONS, SERVER_INFO } from '../server-info.js';

/** Has the handler of each method for each era. */
@Injectable()
export class MethodTable {
  private readonly tables: Record<Era['name'], ReadonlyMap<string, MethodHandler>>;

  constructor(
    tools: ToolHandlers,
    tasks: TaskHandlers,
    subscriptions: SubscriptionHandlers,
    resources: ResourceHandlers,
    prompts: PromptHandlers,
    completions: CompletionHandlers,
  ) {
    const shared = [tools, resources, prompts, completions].flatMap(({ table }) => [...table]);
    // A map and not an object: `constructor` and `__proto__` are not methods.
    const initialized = new Map<string, MethodHandler>([
      ['initialize', initialize],
      ['ping', () => '{}'],
      ...shared,
    ]);
    this.tables = {
      // MCP clients that send no version header look like plain callers, so plain callers have `initialize` too.
      plain: initialized,
      legacy: initialized,
      modern: new Map<string, MethodHandler>([
        ['server/discover', () => DISCOVERY],
        ...shared,
        ...tasks.table,
        ...subscriptions.table,
      ]),
    };
  }

  find(name: string, era: Era['name']): MethodHandler | undefined {
    return this.tables[era].get(name);
  }
}

function initialize(params: JsonObject): string {
  const { protocolVersion: requested } = params;
  const protocolVersion = isLegacyVersion(requested) ? requested : LATEST_LEGACY_VERSION;
  const { completions, ...others } = CAPABILITIES;
  return JSON.stringify({
    protocolVersion,
    // The first revision has completion, but no capability for it.
    capabilities: { ...others, ...(protocolVersion >= '2025-03-26' && { completions }) },
    serverInfo: SERVER_INFO,
    instructions: INSTRUCTIONS,
  });
}
