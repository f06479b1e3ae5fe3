import type { ToolPolicies } from '../policies/tool-policies.js';
import type { RegisteredTool, ToolDescriptor } from './registered-tool.js';

/** The tools of one organization as they were at one time. */
export class OwnToolList {
  static readonly NONE = new OwnToolList('', []);

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
