/**
 * The restriction of one API key: the tools that agents may call with it. It is chosen when the key is created and
 * never changes. `ToolPolicies` applies the restriction: `ToolRegistry` neither lists nor finds the other tools.
 * `BearerGuard` refuses expired keys before the restriction is applied.
 */
export interface KeyRestriction {
  /** True if the key may call only tools that are declared as `readOnly`. */
  readonly readOnly: boolean;
  /** The tools that the key may call. When null, the key may call every tool. */
  readonly tools: readonly string[] | null;
}

/** The facts about a tool that a restriction needs. `names` has the current name, then the deprecated names. */
export interface RestrictedTool {
  readonly names: readonly string[];
  readonly readOnly: boolean;
}

const STARTS_RUNS: RestrictedTool = { names: ['trigger_workflow'], readOnly: false };

/** Returns false for a key that may not start runs. Such a key may not resume runs either. */
export function mayActOnRuns(restriction: KeyRestriction | undefined): boolean {
  return !restriction || restrictionFault(restriction, STARTS_RUNS) === undefined;
}

const MAX_SHOWN_TOOLS = 10;

/**
 * Returns why the key may not call the tool, or undefined if it may. An agent that calls the tool by its name gets this
 * text with the error `forbidden` (`ToolHandlers`). The list of tools that the agent sees does not contain the tool.
 */
export function restrictionFault(
  { readOnly, tools }: KeyRestriction,
  tool: RestrictedTool,
): string | undefined {
  if (readOnly && !tool.readOnly) {
    return `This API key is read-only, and ${tool.names[0]} changes data. Ask an owner for a key that may change data.`;
  }
  if (tools === null || tool.names.some((name) => tools.includes(name))) return undefined;
  const more = tools.length > MAX_SHOWN_TOOLS ? `, and ${tools.length - MAX_SHOWN_TOOLS} more` : '';
  return (
    `This API key may not call ${tool.names[0]}. It may call: ` +
    `${tools.slice(0, MAX_SHOWN_TOOLS).join(', ')}${more}. Ask an owner for a key with this tool.`
  );
}
