import { Injectable } from '@nestjs/common';
import type { CompletedArgument } from '../../completions/completion.decorator.js';
import { CompletionRegistry } from '../../completions/completion-registry.js';
import { PromptRegistry } from '../../prompts/prompt-registry.js';
import { ResourceRegistry } from '../../resources/resource-registry.js';
import { isJsonObject } from '../../text/is-json-object.js';
import type { ToolCall } from '../../tools/contract/tool-call.js';
import { withJsonRpcErrors } from '../app-error-encoding.js';
import { CallRunner } from '../call-runner.js';
import { type EraEncoder, LIST_MAX_AGE_MS, type Listed } from '../encoders/era-encoder.js';
import { JsonRpcError } from '../json-rpc-error.js';
import type { JsonObject } from '../json-rpc.js';
import { type MethodContext, assertFirstPage } from './method-handler.js';

const MAX_SHOWN_URI = 2048;

/** Handles the methods of resources, prompts and completions. They only read data. */
@Injectable()
export class ReadHandlers {
  constructor(
    private readonly resources: ResourceRegistry,
    private readonly prompts: PromptRegistry,
    private readonly completions: CompletionRegistry,
    private readonly calls: CallRunner,
  ) {}

  listResources(params: JsonObject, { encoder, key }: MethodContext): string {
    return encodeList('resources', this.resources.list(key.toolPolicies), params, encoder);
  }

  listTemplates(params: JsonObject, { encoder, key }: MethodContext): string {
    const templates = this.resources.templates(key.toolPolicies);
    return encodeList('resourceTemplates', templates, params, encoder);
  }

  listPrompts(params: JsonObject, { encoder, key }: MethodContext): string {
    return encodeList('prompts', this.prompts.list(key.toolPolicies), params, encoder);
  }

  async readResource(params: JsonObject, context: MethodContext): Promise<string> {
    const { uri } = params;
    if (typeof uri !== 'string') throw JsonRpcError.invalidParams('uri must be a string.');
    const subject = { method: 'resources/read', name: uri, arguments: {}, changes: false };
    const work = async (call: ToolCall): Promise<string> => {
      const contents = await this.resources.read(uri, context.key.toolPolicies, call);
      // The resource may change at any time, so clients must not cache it.
      return context.encoder.result({ contents: [contents] }, 0);
    };
    const data = { uri: uri.slice(0, MAX_SHOWN_URI).toWellFormed() };
    return await withJsonRpcErrors(this.calls.run(params, context, subject, work), data);
  }

  async getPrompt(params: JsonObject, context: MethodContext): Promise<string> {
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

  async complete(params: JsonObject, context: MethodContext): Promise<string> {
    const { argument } = params;
    if (!isJsonObject(argument) || typeof argument.value !== 'string') {
      throw JsonRpcError.invalidParams('argument must be {name, value}, both strings.');
    }
    const completed = argumentOf(params.ref, argument.name);
    const call = { ...this.calls.makeSilentCall(context), arguments: argumentsOf(params.context) };
    const { toolPolicies } = context.key;
    const completion = await withJsonRpcErrors(
      this.completions.complete(completed, argument.value, toolPolicies, call),
    );
    return context.encoder.result({ completion });
  }
}

function encodeList(
  member: string,
  entries: readonly Listed[],
  params: JsonObject,
  encoder: EraEncoder,
): string {
  assertFirstPage(params);
  const encoded = entries.map((entry) => encoder.entry(entry));
  return encoder.result({ [member]: encoded }, LIST_MAX_AGE_MS);
}

function argumentOf(ref: unknown, argument: unknown): CompletedArgument {
  if (typeof argument !== 'string') {
    throw JsonRpcError.invalidParams('argument.name must be a string.');
  }
  if (isJsonObject(ref)) {
    const { type, name, uri } = ref;
    if (type === 'ref/prompt' && typeof name === 'string') return { prompt: name, argument };
    if (type === 'ref/resource' && typeof uri === 'string') return { resource: uri, argument };
  }
  throw JsonRpcError.invalidParams(
    'ref must be {type: "ref/prompt", name} or {type: "ref/resource", uri}.',
  );
}

function argumentsOf(context: unknown): Record<string, string> {
  const given = isJsonObject(context) ? (context.arguments ?? {}) : {};
  if (!isJsonObject(given) || !Object.values(given).every((value) => typeof value === 'string')) {
    throw JsonRpcError.invalidParams('context.arguments must be an object of strings.');
  }
  return given as Record<string, string>;
}
