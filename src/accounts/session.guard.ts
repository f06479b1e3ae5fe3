import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { AppError } from '../errors/app-error.js';
import type { Account } from './account.js';

/** Lets signed-in people in, and nobody else: a bearer key is not looked at. */
@Injectable()
export class SessionGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    accountOf(context.switchToHttp().getRequest<Request>());
    return true;
  }
}

/** The signed-in person of a request; throws `unauthenticated` when there is none. */
export function accountOf(request: Request): Account {
  const account = request.user as Account | undefined;
  if (!account) throw new AppError('unauthenticated', 'Sign in first.');
  return account;
}
