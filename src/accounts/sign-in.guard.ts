import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { toError } from '../errors/app-error.js';
import { wrongCredentials } from './local.strategy.js';

/** Signs a person in: checks the password and starts a session under a new id, against session fixation. */
@Injectable()
export class SignInGuard extends AuthGuard('local') {
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    await super.canActivate(context);
    const request = context.switchToHttp().getRequest<Request>();
    await super.logIn(request);
    return true;
  }

  override handleRequest<T>(error: unknown, user: T | false): T {
    if (error) throw toError(error);
    if (!user) throw wrongCredentials();
    return user;
  }
}
