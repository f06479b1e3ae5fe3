import { Injectable } from '@nestjs/common';
import { PromptRegistry } from '../../prompts/prompt-registry.js';
import type { ToolCall } from '../../tools/contract/tool-call.js';
import { CallRunner } from '../call-runner.js';
import { LIST_MAX_AGE_MS } from '../encoders/era-encoder.js';
import { JsonRpcError } from '../json-rpc-error.js';
import { type JsonObject, isJsonObject } from '../json-rpc.js';
import { withJsonRpcErrors } from '../app-error-encoding.js';
import { type MethodContext, assertFirstPage } from './method-handler.js';

/** Handles `prompts/list` and `prompts/get`. */
@Injectable()
export class PromptHandlers {
  constructor(
    private readonly prompts: PromptRegistry,
    private readonly calls: CallRunner,
  ) {}

  list(params: JsonObject, { encoder, key }: MethodContext): string {
    assertFirstPage(params);
    const prompts = this.prompts.list(key.toolPolicies).map((prompt) => encoder.entry(prompt));
    return encoder.result({ prompts }, LIST_MAX_AGE_MS);
  }

  async get(params: JsonObject, context: MethodContext): Promise<string> {
    const { name, arguments: given = {} } = params;
    if (typeof name !== 'string') throw JsonRpcError.invalidParams('name must be a string.');
    if (!isJsonObject(given)) throw JsonRpcError.invalidParams('arguments must be an object.');
    const subject = { method: 'prompts/get', name, arguments: given, changes: false };
    const work = async (call: ToolCall): Promise<string> => {
      const { toolPolicies } = context.key;
      const { description, messages } = await this.prompts.get(name, given, toolPolicies, call);
      return context.encoder.result({ description, messages });
    };
    return await withJsonRpcErrors(this.calls.run(params, context, subject, work));
  }
}
