import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { CallRecorder, type EndedCall } from '../accounts/call-recorder.js';
import { readRequestOrigin } from '../accounts/read-request-origin.js';
import { accountOf } from '../accounts/session.guard.js';
import type { AppError } from '../errors/app-error.js';
import { checkAccess } from '../http/request-access.js';
import { SecurityLog } from '../security/security-log.js';
import { ToolRegistry } from '../tools/registry/tool-registry.js';
import { accountFor, assertKeyMayUse } from '../tools/tool-routes.js';
import { apiKeyOf } from './bearer.guard.js';
import type { Caller } from './caller.guard.js';

/** Finds the callers of requests that are not calls of a tool, and records the requests that are refused. */
@Injectable()
export class RequestCallers {
  constructor(
    private readonly registry: ToolRegistry,
    private readonly calls: CallRecorder,
    private readonly security: SecurityLog,
  ) {}

  /**
   * Returns the caller of a request that shows or changes the data of these tools. Throws when the caller could not
   * call each of these tools directly, because of the policies or the restriction of the key: see `accountFor` and
   * `assertKeyMayUse`. When the key or the session is looked up again after the body, the same checks run again.
   */
  get(request: Request, ...tools: readonly [string, ...string[]]): Caller {
    return checkAccess(request, () => {
      const isPerson = request.headers.authorization === undefined;
      const caller = isPerson ? callerOfSession(request) : callerOfKey(request);
      for (const tool of tools) {
        try {
          if (isPerson) accountFor(request, this.registry, tool);
          else assertKeyMayUse(apiKeyOf(request).toolPolicies, this.registry, tool);
        } catch (error) {
          const origin = readRequestOrigin(request);
          throw this.recordRefusal({ ...caller, origin }, tool, error as AppError);
        }
      }
      return caller;
    });
  }

  /** Records a request that was refused because of this tool. Returns the error, for the caller to throw. */
  recordRefusal(
    { organizationId, actor, origin }: Pick<EndedCall, 'organizationId' | 'actor' | 'origin'>,
    tool: string,
    error: AppError,
  ): AppError {
    if (error.code === 'forbidden') {
      this.security.report('restricted_key', { subject: organizationId });
    }
    return this.calls.refused({ organizationId, actor, origin }, tool, error);
  }
}

function callerOfSession(request: Request): Caller {
  const { organizationId, userId } = accountOf(request);
  return { organizationId, actor: { kind: 'user', id: userId } };
}

function callerOfKey(request: Request): Caller {
  const { id, organizationId, toolPolicies } = apiKeyOf(request);
  return { organizationId, actor: { kind: 'key', id }, restriction: toolPolicies.restriction };
}
