import { Injectable } from '@nestjs/common';
import type { CompletedArgument } from '../../completions/completion.decorator.js';
import { CompletionRegistry } from '../../completions/completion-registry.js';
import { CallRunner } from '../call-runner.js';
import { JsonRpcError } from '../json-rpc-error.js';
import { isJsonObject, type JsonObject } from '../json-rpc.js';
import type { MethodContext } from './method-handler.js';
import { withJsonRpcErrors } from '../app-error-encoding.js';

/** Handles `completion/complete`. */
@Injectable()
export class CompletionHandlers {
  constructor(
    private readonly completions: CompletionRegistry,
    private readonly calls: CallRunner,
  ) {}

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
