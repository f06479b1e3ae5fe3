import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { toError } from '../errors/app-error.js';
import { wrongCredentials } from './local.strategy.js';

/** Checks the password and starts a session under a new id, which prevents session fixation. */
@Injectable()
export class SignInGuard extends AuthGuard('local') {
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    assertCredentials(request.body);
    await super.canActivate(context);
    await super.logIn(request);
    return true;
  }

  override handleRequest<T>(error: unknown, user: T | false): T {
    if (error) throw toError(error);
    if (!user) throw wrongCredentials();
    return user;
  }
}

/** Throws if the body lacks a field. Otherwise passport-local would read the password from the URL, which is logged. */
function assertCredentials(body: unknown): void {
  const { email, password } = (body ?? {}) as { email?: unknown; password?: unknown };
  const isGiven = [email, password].every((text) => typeof text === 'string' && text !== '');
  if (!isGiven) throw wrongCredentials();
}
