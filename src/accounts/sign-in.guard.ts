import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { toError } from '../errors/app-error.js';
import { wrongCredentials } from './local.strategy.js';

/** Signs a person in: checks the password and starts a session under a new id, against session fixation. */
@Injectable()
export class SignInGuard extends AuthGuard('local') {
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    assertInBody(request.body);
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

/** passport-local falls back to the query string, and a password in a URL ends up in logs and histories. */
function assertInBody(body: unknown): void {
  const { email, password } = (body ?? {}) as { email?: unknown; password?: unknown };
  const isGiven = [email, password].every((text) => typeof text === 'string' && text !== '');
  if (!isGiven) throw wrongCredentials();
}
