import type { Request } from 'express';
import type { Account } from '../accounts/account.js';
import { accountOf } from '../accounts/session.guard.js';
import { AppError } from '../errors/app-error.js';
import type { ToolPolicies } from '../policies/tool-policies.js';
import type { RegisteredTool } from './registry/registered-tool.js';
import type { ToolRegistry } from './registry/tool-registry.js';

/**
 * Returns the signed-in person of a request that shows or changes the data of a tool. Throws `not_found` for a hidden
 * tool, because its data must not be reachable by another route.
 */
export function accountFor(request: Request, registry: ToolRegistry, name: string): Account {
  const account = accountOf(request);
  if (!registry.find(name, 'dashboard', account.toolPolicies)) throw hiddenTool(name);
  return account;
}

/**
 * Returns the tool with this name, if an API key with these policies may see its data. Throws `not_found` for a hidden
 * tool, and `forbidden` for a tool that is not in the list of allowed tools of the key.
 */
export function toolForKey(
  policies: ToolPolicies,
  registry: ToolRegistry,
  name: string,
): RegisteredTool {
  const all = policies.withoutRestriction();
  const tool = registry.find(name, 'agent', all) ?? registry.find(name, 'dashboard', all);
  if (!tool) throw hiddenTool(name);
  // The list of a key cannot contain a tool that agents cannot call. So the restriction of the key does not apply to
  // such a tool if the tool only reads.
  const isRestricted = tool.surfaces.has('agent') || !tool.readOnly;
  const fault = isRestricted ? policies.faultOf(tool) : undefined;
  if (fault !== undefined) throw new AppError('forbidden', fault);
  return tool;
}

/**
 * Throws the errors of {@link toolForKey}. Throws `confirmation_required` if a person must approve each call of the
 * tool. No approval covers a request that is not a call of the tool.
 */
export function assertKeyMayUse(
  policies: ToolPolicies,
  registry: ToolRegistry,
  name: string,
): void {
  const tool = toolForKey(policies, registry, name);
  if (policies.confirmation(...tool.names) === 'always') {
    throw new AppError(
      'confirmation_required',
      `A person must confirm each call of ${name}, so no API key can make this request. A signed-in member can.`,
    );
  }
}

/** Returns the error for a tool that the organization hides. A call of that tool gets the same code. */
function hiddenTool(name: string): AppError {
  return new AppError('not_found', `Unknown tool. This request needs ${name}.`);
}
