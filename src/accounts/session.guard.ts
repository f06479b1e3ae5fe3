import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { AppError } from '../errors/app-error.js';
import type { Account } from './account.js';

/** Lets only signed-in people pass. It ignores API keys. */
@Injectable()
export class SessionGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    accountOf(context.switchToHttp().getRequest<Request>());
    return true;
  }
}

/** Returns the signed-in person of a request. Throws `unauthenticated` when there is none. */
export function accountOf(request: Request): Account {
  const account = request.user as Account | undefined;
  if (!account)
    throw new AppError('unauthenticated', 'Sign in first, with POST /api/auth/sign-in.');
  return account;
}
