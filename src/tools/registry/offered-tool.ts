import type { Type } from '@nestjs/common';
import type { ToolPolicies } from '../../policies/tool-policies.js';
import type { TaskSource } from '../contract/task-source.js';
import type { ToolCall } from '../contract/tool-call.js';
import type { RegisteredTool, ToolDescriptor } from './registered-tool.js';

/** A tool that an organization has made for its own agents, beside those that are registered for everybody. */
export interface OfferedTool {
  readonly descriptor: ToolDescriptor;
  readonly task?: Type<TaskSource>;

  /**
   * Does what the tool does, in the transaction of the call, so that it happens once for an `idempotency_key`. Returns
   * what is answered where nobody waits.
   */
  begin(input: Record<string, unknown>, call: ToolCall): Promise<object>;

  /**
   * What the caller is answered, after the commit and outside of any transaction, so it may wait. A call that is repeated
   * gets here again with what it began before. A failure that may be told is thrown as `ReportedFailure`.
   */
  outcome(begun: object, call: ToolCall): Promise<object>;
}

/**
 * Lists the offered tools of an organization. The revision of the list equals `offered_revisions` of
 * `gate.find_api_key`, and is empty if the list is.
 */
export interface OfferedToolSource {
  /** Those that can be called now, by name in code-unit order. Runs in a transaction of the organization. */
  list(organizationId: string): Promise<{ revision: string; tools: readonly OfferedTool[] }>;

  /** Names of all, also of those that cannot be called now. Runs in a transaction of the organization. */
  names(organizationId: string): Promise<string[]>;
}

/** The tools of one organization as they were at one time. */
export class OfferedToolList {
  static readonly NONE = new OfferedToolList('', []);

  constructor(
    /** Equal for the same tools of the same organization only; empty where there are none. */
    readonly key: string,
    private readonly tools: readonly RegisteredTool[],
  ) {}

  /** Those that `policies` do not hide, by name in code-unit order. */
  list(policies: ToolPolicies): ToolDescriptor[] {
    return this.tools
      .filter((tool) => !policies.hides(...tool.names))
      .map(({ descriptor }) => descriptor);
  }

  /** Undefined for one that is hidden, as if there were none. */
  find(name: string, policies: ToolPolicies): RegisteredTool | undefined {
    return this.tools.find(({ names }) => names[0] === name && !policies.hides(name));
  }
}
