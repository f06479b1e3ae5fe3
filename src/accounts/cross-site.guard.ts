import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Env } from '../config/env.js';
import { AppError } from '../errors/app-error.js';
import { clientAddress } from '../http/client-address.js';
import { Origins } from '../http/origins.js';
import { SecurityLog } from '../security/security-log.js';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses cross-site request forgery. It checks the Fetch Metadata headers, or Origin when the browser does not send
 * them (OWASP Cross-Site Request Forgery Prevention Cheat Sheet).
 */
@Injectable()
export class CrossSiteGuard implements CanActivate {
  constructor(
    private readonly env: Env,
    private readonly origins: Origins,
    private readonly security: SecurityLog,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (SAFE_METHODS.has(request.method) || this.isSameOrigin(request)) return true;
    this.security.report('cross_site_request', { address: clientAddress(request) });
    const { baseUrl, publicUrl } = this.env;
    const hint = publicUrl ? '' : ' If people use another address, set PUBLIC_URL to that address.';
    throw new AppError(
      'forbidden',
      'A request with a session must come from a page of Switchboard. A script must send the header Origin with the ' +
        `address that it calls, for example Origin: ${new URL(baseUrl).origin}.${hint}`,
    );
  }

  private isSameOrigin(request: Request): boolean {
    const site = request.headers['sec-fetch-site'];
    if (site !== undefined) return site === 'same-origin';
    if (request.headers.origin !== undefined) return this.origins.isOwn(request.headers);
    // Without a cookie, another site cannot act as the person. Scripts have no cookie yet when they sign in.
    return request.headers.cookie === undefined;
  }
}
