import { Injectable } from '@nestjs/common';
import { PromptRegistry } from '../../prompts/prompt-registry.js';
import { CallRunner } from '../call-runner.js';
import { LIST_MAX_AGE_MS } from '../encoders/era-encoder.js';
import { JsonRpcError } from '../json-rpc-error.js';
import { type JsonObject, isJsonObject } from '../json-rpc.js';
import { toJsonRpcError } from '../app-error-encoding.js';
import { type MethodContext, type MethodHandler, assertFirstPage } from './method-handler.js';

/** Handles `prompts/list` and `prompts/get`. */
@Injectable()
export class PromptHandlers {
  readonly table: ReadonlyMap<string, MethodHandler> = new Map<string, MethodHandler>([
    ['prompts/list', (params, context) => this.list(params, context)],
    ['prompts/get', (params, context) => this.get(params, context)],
  ]);

  constructor(
    private readonly prompts: PromptRegistry,
    private readonly calls: CallRunner,
  ) {}

  private list(params: JsonObject, { encoder, key }: MethodContext): string {
    assertFirstPage(params);
    const prompts = this.prompts.list(key.toolPolicies).map((prompt) => encoder.entry(prompt));
    return encoder.result({ prompts }, LIST_MAX_AGE_MS);
  }

  private async get(params: JsonObject, context: MethodContext): Promise<string> {
    const { name, arguments: given = {} } = params;
    if (typeof name !== 'string') throw JsonRpcError.invalidParams('name must be a string.');
    if (!isJsonObject(given)) throw JsonRpcError.invalidParams('arguments must be an object.');
    const subject = { method: 'prompts/get', name, arguments: given, changes: false };
    try {
      return await this.calls.run(params, context, subject, async (call) => {
        const { toolPolicies } = context.key;
        const { description, messages } = await this.prompts.get(name, given, toolPolicies, call);
        return context.encoder.result({ description, messages });
      });
    } catch (thrown) {
      throw toJsonRpcError(thrown);
    }
  }
}
