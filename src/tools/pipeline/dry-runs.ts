import { Injectable } from '@nestjs/common';
import type { Effects } from '../../database/transactions/effects.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { ToolCall } from '../contract/tool-call.js';
import type { RegisteredTool } from '../registry/registered-tool.js';
import { ToolRegistry } from '../registry/tool-registry.js';

/** The result that the call would have had, and the rows that it would have changed. */
export type DryRunOutcome = { result: object } & Effects;

/** Calls tools in transactions that are rolled back, so that nothing is stored and nothing is sent. */
@Injectable()
export class DryRuns {
  constructor(
    private readonly tools: ToolRegistry,
    private readonly tenants: TenantDatabase,
  ) {}

  /** Calls a tool with its guards and interceptors. Fails as the real call would. */
  call(tool: RegisteredTool, given: unknown, call: ToolCall): Promise<DryRunOutcome> {
    const { organizationId } = call;
    // Guards run inside too: a row that an interceptor writes in its own transaction must be rolled back as well.
    return this.tenants.dryRun(organizationId, () =>
      this.tenants.observe(organizationId, () =>
        this.tools.call(tool, given, { ...call, dryRun: true }),
      ),
    );
  }

  /** Runs `work` in one transaction. Its calls see the effects of earlier ones, and all are rolled back at the end. */
  together<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    return this.tenants.dryRun(organizationId, work);
  }
}
