import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { ToolCall } from '../contract/tool-call.js';
import {
  type BoundMethod,
  type DecoratedMethod,
  DecoratedMethods,
  fromHttpException,
} from '../registry/decorated-methods.js';

/** Runs the methods of resources, prompts and completions, which only read. */
@Injectable()
export class ReadPipeline {
  constructor(
    private readonly methods: DecoratedMethods,
    private readonly tenants: TenantDatabase,
  ) {}

  /** Runs guards and interceptors, `parse`, and the method in a READ ONLY transaction. Guards see the type `kind`. */
  wrap(
    method: DecoratedMethod<unknown>,
    kind: string,
    parse: (given: unknown) => unknown,
  ): BoundMethod {
    const read = async (given: unknown, call: unknown): Promise<unknown> => {
      const { organizationId, signal } = call as ToolCall;
      const input = parse(given);
      signal.throwIfAborted();
      const work = (): Promise<unknown> => method.run(input, call);
      return await this.tenants.transaction(organizationId, work, { readOnly: true });
    };
    const guarded = this.methods.guarded(method, read, kind);
    return async (given, call) => {
      try {
        return await guarded(given, call);
      } catch (error) {
        throw fromHttpException(error, kind);
      }
    };
  }
}
