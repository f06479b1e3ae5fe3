import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import {
  type BoundMethod,
  type DecoratedMethod,
  DecoratedMethods,
} from '../registry/decorated-methods.js';
import type { ToolCall } from '../contract/tool-call.js';
import { fromGuard } from '../registry/tool-registry.js';

/** What happens to every call of a method that only reads, and is no tool: of resources, prompts and completions. */
@Injectable()
export class ReadPipeline {
  constructor(
    private readonly methods: DecoratedMethods,
    private readonly tenants: TenantDatabase,
  ) {}

  /**
   * The method behind its guards and interceptors, then `parse`, then a READ ONLY transaction of the organization.
   * `kind` is what guards see as the type of the execution context.
   */
  reader(
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
        throw fromGuard(error, kind);
      }
    };
  }
}
