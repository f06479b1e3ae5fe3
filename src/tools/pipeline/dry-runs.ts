import { Injectable } from '@nestjs/common';
import type { Effects } from '../../database/transactions/effects.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import type { ToolCall } from '../contract/tool-call.js';
import type { RegisteredTool } from '../registry/registered-tool.js';
import { ToolRegistry } from '../registry/tool-registry.js';

/** The result of the call, and the rows that it changed before the rollback. */
export type DryRunOutcome = { result: object } & Effects;

/**
 * Calls tools in transactions that are rolled back, so that nothing is stored and nothing is sent. An external tool has
 * no dry run: `ToolPipeline` refuses it. Messages are sent after a commit. So a dry run sends no messages, and reports
 * only their rows.
 */
@Injectable()
export class DryRuns {
  constructor(
    private readonly tools: ToolRegistry,
    private readonly tenants: TenantDatabase,
  ) {}

  /** Calls a tool with its guards and interceptors. Throws the same errors as a real call. */
  call(tool: RegisteredTool, given: unknown, call: ToolCall): Promise<DryRunOutcome> {
    const { organizationId } = call;
    // Guards and interceptors run inside the dry run, so that rows that they write in their own transactions are rolled
    // back too.
    return this.tenants.dryRun(organizationId, () =>
      this.tenants.observe(organizationId, () =>
        this.tools.call(tool, given, { ...call, dryRun: true }),
      ),
    );
  }

  /** Runs `work` in one transaction. Calls see the effects of earlier calls, and all are rolled back at the end. */
  together<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    return this.tenants.dryRun(organizationId, work);
  }
}
