import { type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Actor } from '../accounts/account.js';
import { AppError } from '../errors/app-error.js';
import type { KeyRestriction } from '../policies/key-restriction.js';
import { BearerGuard } from './bearer.guard.js';

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
