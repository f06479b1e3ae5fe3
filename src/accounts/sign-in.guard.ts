import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { AppError, toError } from '../errors/app-error.js';
import { SecurityLog } from '../security/security-log.js';
import { wrongCredentials } from './local.strategy.js';

/** Checks the password and starts a session under a new id, which prevents session fixation. */
@Injectable()
export class SignInGuard extends AuthGuard('local') {
  constructor(private readonly security: SecurityLog) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    assertCredentials(request.body);
    await this.checkPassword(context, request);
    await super.logIn(request);
    return true;
  }

  private async checkPassword(context: ExecutionContext, request: Request): Promise<void> {
    try {
      await super.canActivate(context);
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid_credentials') {
        this.security.report('failed_sign_in', { address: request.ip });
      }
      throw error;
    }
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
