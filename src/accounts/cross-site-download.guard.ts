import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { AppError } from '../errors/app-error.js';
import { clientAddress } from '../http/client-address.js';
import { SecurityLog } from '../security/security-log.js';

/**
 * Refuses a download that a page of another site caused with the session of a person. Such a page cannot read the
 * response, but the audit log would say that the person exported the data. Requests with an API key pass.
 */
@Injectable()
export class CrossSiteDownloadGuard implements CanActivate {
  constructor(private readonly security: SecurityLog) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const site = request.headers['sec-fetch-site'];
    // The value is `none` when the person entered the address in the browser.
    const isOwn = site === undefined || site === 'same-origin' || site === 'none';
    if (isOwn || request.headers.authorization !== undefined) return true;
    this.security.report('cross_site_request', { address: clientAddress(request) });
    throw new AppError(
      'forbidden',
      'A download with a session must begin on a page of Switchboard. Open its page Contacts or Imports, or send an API key.',
    );
  }
}
