import type { ToolPolicies } from '../../policies/tool-policies.js';
import type { RegisteredTool } from './registered-tool.js';

/** Tools whose work something shows or asks for that is no call of them, such as a prompt. */
export class RequiredTools {
  constructor(private readonly tools: readonly RegisteredTool[]) {}

  /**
   * False where one is hidden, and where one that only reads must be confirmed: what it returns would be shown without
   * a call, so nobody would be asked. One that changes something is only spoken of; its calls are confirmed as ever.
   */
  areOpen(policies: ToolPolicies): boolean {
    return this.tools.every(({ names, readOnly }) => {
      const { hidden, confirmation } = policies.policy(...names);
      return !hidden && !(readOnly && confirmation !== 'never');
    });
  }
}
