import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { RateLimiter } from '../http/rate-limiter.js';
import { apiKeyOf } from '../keys/bearer.guard.js';

/** Counts each request against the limit of its organization before its body is read. Runs after the bearer guard. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(private readonly limiter: RateLimiter) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    this.limiter.consume(apiKeyOf(request).organizationId, 1);
    return true;
  }
}
