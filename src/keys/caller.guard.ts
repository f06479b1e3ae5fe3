import { type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Actor } from '../accounts/account.js';
import { accountOf } from '../accounts/session.guard.js';
import { AppError } from '../errors/app-error.js';
import { BearerGuard, apiKeyOf } from './bearer.guard.js';

/** Lets callers with an API key and signed-in people pass. With the header Authorization, only the key counts. */
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

/** Returns the caller of a request. Throws `forbidden` for an API key that may not call `tool`. */
export function callerOf(
  request: Request,
  isAllowed: (key: ReturnType<typeof apiKeyOf>) => boolean,
): { organizationId: string; actor: Actor } {
  if (request.headers.authorization === undefined) {
    const { organizationId, userId } = accountOf(request);
    return { organizationId, actor: { kind: 'user', id: userId } };
  }
  const key = apiKeyOf(request);
  if (!isAllowed(key)) {
    throw new AppError(
      'forbidden',
      'This API key may not make this request. Ask an owner for a key that may.',
    );
  }
  return { organizationId: key.organizationId, actor: { kind: 'key', id: key.id } };
}
