import type { Request } from 'express';
import type { Account } from '../accounts/account.js';
import { accountOf } from '../accounts/session.guard.js';
import { AppError } from '../errors/app-error.js';
import type { ToolPolicies } from '../policies/tool-policies.js';
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
 * Throws unless an API key with these policies may make a request that shows or changes the data of a tool. Throws
 * `confirmation_required` if a person must approve each call, because an approval is only for calls of the tool.
 */
export function assertKeyMayUse(
  policies: ToolPolicies,
  registry: ToolRegistry,
  name: string,
): void {
  const tool = registry.find(name, 'agent', policies.withoutRestriction());
  if (!tool) throw hiddenTool(name);
  const fault = policies.faultOf(tool);
  if (fault !== undefined) throw new AppError('forbidden', fault);
  if (policies.confirmation(...tool.names) === 'always') {
    throw new AppError(
      'confirmation_required',
      `A person must confirm each call of ${name}, so no API key can make this request. A signed-in member can.`,
    );
  }
}

/** The error for a tool that the organization hides. It has the code of a call of that tool. */
function hiddenTool(name: string): AppError {
  return new AppError('not_found', `Unknown tool. This request needs ${name}.`);
}
