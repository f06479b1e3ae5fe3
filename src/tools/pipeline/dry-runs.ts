import { Injectable } from '@nestjs/common';
import type { Effects } from '../../database/transactions/effects.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { RegisteredTool } from '../registry/registered-tool.js';
import type { ToolCall } from '../contract/tool-call.js';
import { ToolRegistry } from '../registry/tool-registry.js';

/** What a call would have answered, and the rows that it would have changed. */
export type DryRunOutcome = { result: object } & Effects;

/** Calls that go all the way and are undone: nothing of them is stored, and nothing is sent. */
@Injectable()
export class DryRuns {
  constructor(
    private readonly tools: ToolRegistry,
    private readonly tenants: TenantDatabase,
  ) {}

  /** Calls a tool with its guards and interceptors; fails as the real call would. */
  call(tool: RegisteredTool, given: unknown, call: ToolCall): Promise<DryRunOutcome> {
    const { organizationId } = call;
    // Around the guards too: what an interceptor stores in a transaction of its own must not stay either.
    return this.tenants.dryRun(organizationId, () =>
      this.tenants.observe(organizationId, () =>
        this.tools.call(tool, given, { ...call, dryRun: true }),
      ),
    );
  }

  /** Lets the calls in `work` see the effects of those before them, and undoes them all at its end. */
  together<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    return this.tenants.dryRun(organizationId, work);
  }
}
