import type { Type } from '@nestjs/common';
import type { ToolPolicies } from '../../policies/tool-policies.js';
import type { TaskSource } from '../contract/task-source.js';
import type { ToolCall } from '../contract/tool-call.js';
import type { RegisteredTool, ToolDescriptor } from './registered-tool.js';

export interface OfferedTool {
  readonly descriptor: ToolDescriptor;
  readonly task?: Type<TaskSource>;

  /**
   * Starts the work in the transaction of the call, so that it happens once for each idempotency key. The caller of a
   * dry run gets the result of this method.
   */
  start(input: Record<string, unknown>, call: ToolCall): Promise<object>;

  /**
   * Returns the result for the caller. Runs after the commit and without a transaction, so it may wait. A repeated call
   * passes the same `started` again. Throws `ReportedFailure` for a failure that the caller may see.
   */
  waitForResult(started: object, call: ToolCall): Promise<object>;
}

/** Lists tools in a transaction of the organization. `revision` equals `offered_revisions` of `gate.find_api_key`. */
export interface OfferedToolSource {
  /**
   * Returns the tools that can be called now, sorted by name in code-unit order. `characters` is the size of everything
   * that the tools keep in memory, in characters of JSON.
   */
  list(
    organizationId: string,
  ): Promise<{ revision: string; tools: readonly OfferedTool[]; characters: number }>;

  /** Returns the names of all tools, including those that cannot be called now. */
  names(organizationId: string): Promise<string[]>;
}

/** The offered tools of one organization at one revision. */
export class OfferedToolList {
  static readonly NONE = new OfferedToolList('', []);

  constructor(
    readonly key: string,
    private readonly tools: readonly RegisteredTool[],
  ) {}

  /** Returns the tools that `policies` permit, sorted by name in code-unit order. */
  list(policies: ToolPolicies): ToolDescriptor[] {
    return this.tools.filter((tool) => policies.permits(tool)).map(({ descriptor }) => descriptor);
  }

  find(name: string, policies: ToolPolicies): RegisteredTool | undefined {
    return this.tools.find((tool) => tool.names[0] === name && policies.permits(tool));
  }
}
