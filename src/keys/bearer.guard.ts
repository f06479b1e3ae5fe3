import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { UnauthenticatedError } from '../errors/app-error.js';
import { setApiKey } from './authenticated-key.js';
import { KeysService } from './keys.service.js';

const REALM = 'Bearer realm="switchboard"';
// RFC 6750, section 2.1: the scheme in any case, one space, one token.
const BEARER = /^bearer ([A-Za-z0-9\-._~+/]+=*)$/i;

/** Lets callers with an active API key in. Cookies are not looked at, so a browser's session cannot be borrowed. */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(private readonly keys: KeysService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const { authorization } = request.headers;
    if (authorization === undefined) {
      throw new UnauthenticatedError('Send an API key: Authorization: Bearer <API_KEY>.', REALM);
    }
    const token = BEARER.exec(authorization)?.[1];
    const key = token === undefined ? undefined : await this.keys.authenticate(token);
    if (!key) {
      throw new UnauthenticatedError(
        'This API key is not valid.',
        `${REALM}, error="invalid_token", error_description="The API key is unknown or revoked"`,
      );
    }
    setApiKey(request, key);
    return true;
  }
}
