import { Injectable } from '@nestjs/common';
import { Env } from '../../config/env.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { ShownBug } from '../../errors/shown-bug.js';
import type { ToolCall } from '../contract/tool-call.js';
import {
  type BoundMethod,
  type DecoratedMethod,
  DecoratedMethods,
  fromHttpException,
} from '../registry/decorated-methods.js';
import { isBug } from '../registry/ended-call.js';

/** Runs the methods of resources, prompts and completions, which only read. */
@Injectable()
export class ReadPipeline {
  constructor(
    private readonly methods: DecoratedMethods,
    private readonly tenants: TenantDatabase,
    private readonly env: Env,
  ) {}

  /** Runs guards, interceptors, `parse` and the method in one READ ONLY transaction. Guards see the type `kind`. */
  wrap(
    method: DecoratedMethod<unknown>,
    kind: string,
    parse: (given: unknown) => unknown,
  ): BoundMethod {
    const read = async (given: unknown, call: unknown): Promise<unknown> => {
      const input = parse(given);
      (call as ToolCall).signal.throwIfAborted();
      return await method.run(input, call);
    };
    const guarded = this.methods.guarded(method, read, kind);
    return async (given, call) => {
      const { organizationId, signal } = call as ToolCall;
      try {
        const work = (): Promise<unknown> => guarded(given, call);
        return await this.tenants.transaction(organizationId, work, { readOnly: true });
      } catch (error) {
        const failure = fromHttpException(error, kind);
        const isShown = this.env.showsBugs && isBug(failure, signal);
        throw isShown ? new ShownBug(failure) : failure;
      }
    };
  }
}
