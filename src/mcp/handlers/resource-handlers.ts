import { Injectable } from '@nestjs/common';
import { ResourceRegistry } from '../../resources/resource-registry.js';
import { CallRunner } from '../call-runner.js';
import { LIST_MAX_AGE_MS } from '../encoders/era-encoder.js';
import { JsonRpcError } from '../json-rpc-error.js';
import type { JsonObject } from '../json-rpc.js';
import { toJsonRpcError } from '../app-error-encoding.js';
import { type MethodContext, assertFirstPage } from './method-handler.js';

const MAX_SHOWN_URI = 2048;

/** Handles `resources/list`, `resources/templates/list` and `resources/read`. */
@Injectable()
export class ResourceHandlers {
  constructor(
    private readonly resources: ResourceRegistry,
    private readonly calls: CallRunner,
  ) {}

  list(params: JsonObject, { encoder, key }: MethodContext): string {
    assertFirstPage(params);
    const resources = this.resources
      .list(key.toolPolicies)
      .map((resource) => encoder.entry(resource));
    return encoder.result({ resources }, LIST_MAX_AGE_MS);
  }

  listTemplates(params: JsonObject, { encoder, key }: MethodContext): string {
    assertFirstPage(params);
    const templates = this.resources
      .templates(key.toolPolicies)
      .map((template) => encoder.entry(template));
    return encoder.result({ resourceTemplates: templates }, LIST_MAX_AGE_MS);
  }

  async read(params: JsonObject, context: MethodContext): Promise<string> {
    const { uri } = params;
    if (typeof uri !== 'string') throw JsonRpcError.invalidParams('uri must be a string.');
    const subject = { method: 'resources/read', name: uri, arguments: {}, changes: false };
    try {
      return await this.calls.run(params, context, subject, async (call) => {
        const contents = await this.resources.read(uri, context.key.toolPolicies, call);
        // The resource may change at any time, so clients must not cache it.
        return context.encoder.result({ contents: [contents] }, 0);
      });
    } catch (thrown) {
      throw toJsonRpcError(thrown, { uri: uri.slice(0, MAX_SHOWN_URI).toWellFormed() });
    }
  }
}
