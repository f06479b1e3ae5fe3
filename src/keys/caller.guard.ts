import { type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Actor } from '../accounts/account.js';
import { accountOf } from '../accounts/session.guard.js';
import { AppError } from '../errors/app-error.js';
import { checkAccess } from '../http/request-access.js';
import type { KeyRestriction } from '../policies/key-restriction.js';
import { accountFor, assertKeyMayUse } from '../tools/tool-routes.js';
import type { ToolRegistry } from '../tools/registry/tool-registry.js';
import { BearerGuard, apiKeyOf } from './bearer.guard.js';

/**
 * Lets signed-in people pass, and also callers with an API key. When a request has the header Authorization, only the
 * key in this header counts.
 */
@Injectable()
export class CallerGuard extends BearerGuard {
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    if (request.headers.authorization !== undefined) return await super.canActivate(context);
    if (!request.user) {
      throw new AppError(
        'unauthenticated',
        'Sign in, or send an API key: Authorization: Bearer <API_KEY>.',
      );
    }
    return true;
  }
}

/** The caller of a request. Only a caller with an API key can have a restriction. */
export interface Caller {
  readonly organizationId: string;
  readonly actor: Actor;
  readonly restriction?: KeyRestriction | undefined;
}

/**
 * Returns the caller of a request that shows or changes the data of these tools. Throws when the caller could not call
 * each of these tools directly, because of the policies or the restriction of the key: see `accountFor` and
 * `assertKeyMayUse`. When the key or the session is looked up again after the body, the same checks run again.
 */
export function callerFor(
  request: Request,
  registry: ToolRegistry,
  ...tools: readonly [string, ...string[]]
): Caller {
  return checkAccess(request, () => checkedCaller(request, registry, tools));
}

function checkedCaller(request: Request, registry: ToolRegistry, tools: readonly string[]): Caller {
  if (request.headers.authorization === undefined) {
    const { organizationId, userId } = accountOf(request);
    for (const tool of tools) accountFor(request, registry, tool);
    return { organizationId, actor: { kind: 'user', id: userId } };
  }
  const { id, organizationId, toolPolicies } = apiKeyOf(request);
  for (const tool of tools) assertKeyMayUse(toolPolicies, registry, tool);
  return { organizationId, actor: { kind: 'key', id }, restriction: toolPolicies.restriction };
}
