import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { AppError } from '../errors/app-error.js';
import { clientAddress } from './client-address.js';
import { SecurityLog } from '../security/security-log.js';
import { Origins } from './origins.js';

/** Refuses requests that a browser sends for a web page of another origin. */
@Injectable()
export class OriginGuard implements CanActivate {
  constructor(
    private readonly origins: Origins,
    private readonly security: SecurityLog,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (this.origins.allows(request.headers)) return true;
    this.security.report('cross_site_request', { address: clientAddress(request) });
    throw new AppError(
      'forbidden',
      'This Host or Origin is not allowed. Set PUBLIC_URL to the address that people use.',
    );
  }
}
