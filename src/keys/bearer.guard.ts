import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { readRequestOrigin } from '../accounts/read-request-origin.js';
import { UnauthenticatedError } from '../errors/app-error.js';
import { clientAddress } from '../http/client-address.js';
import { recordAccess } from '../http/request-access.js';
import { recordOrganization } from '../http/request-organization.js';
import { SecurityLog } from '../security/security-log.js';
import { type AuthenticatedKey, type EndedKey, KeysService } from './keys.service.js';

const REALM = 'Bearer realm="switchboard"';
// RFC 6750, section 2.1, allows the scheme in upper or lower case, one space and one token.
const BEARER = /^bearer ([A-Za-z0-9\-._~+/]+=*)$/i;

const keys = new WeakMap<Request, AuthenticatedKey>();

/**
 * Lets callers with an active API key pass. It ignores cookies, so another site cannot use the session of a browser.
 */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly keys: KeysService,
    private readonly security: SecurityLog,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const { authorization } = request.headers;
    if (authorization === undefined) {
      throw new UnauthenticatedError('Send an API key: Authorization: Bearer <API_KEY>.', REALM);
    }
    const token = BEARER.exec(authorization)?.[1];
    const lookedUpAt = performance.now();
    await this.admit(request, token);
    recordAccess(request, lookedUpAt, () => this.admit(request, token));
    return true;
  }

  /** Looks the key up and stores it for {@link apiKeyOf}. Throws for a key that is unknown or has ended. */
  private async admit(request: Request, token: string | undefined): Promise<void> {
    const key = token === undefined ? undefined : await this.keys.authenticate(token);
    if (!key) {
      this.security.report('unknown_key', { address: clientAddress(request) });
      throw new UnauthenticatedError(
        'This API key is unknown or revoked. Ask an owner for the current key.',
        `${REALM}, error="invalid_token", error_description="The API key is unknown or revoked"`,
      );
    }
    if ('endedAt' in key) throw this.refuseEnded(key, request);
    recordOrganization(request, key.organizationId);
    keys.set(request, { ...key, origin: readRequestOrigin(request) });
  }

  /**
   * Returns a message with the time at which the key ended. Only a caller with the whole key gets this message, because
   * a look-up with a part of a key finds nothing.
   */
  private refuseEnded({ reason, endedAt, organizationId }: EndedKey, request: Request): Error {
    this.security.report(`${reason}_key`, {
      subject: organizationId,
      address: clientAddress(request),
    });
    const ended = `${reason === 'revoked' ? 'was revoked' : 'expired'} at ${endedAt.toISOString()}`;
    return new UnauthenticatedError(
      `This API key ${ended}. Ask an owner for the current key.`,
      `${REALM}, error="invalid_token", error_description="The API key ${ended}"`,
    );
  }
}

/**
 * Returns the key that the bearer guard found. After the body was read, call this function again: the key may have been
 * looked up again, with new policies. Throws when that guard did not run for this route.
 */
export function apiKeyOf(request: Request): AuthenticatedKey {
  const key = keys.get(request);
  if (!key) throw new Error('This route is not behind the bearer guard.');
  return key;
}
