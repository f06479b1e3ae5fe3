import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { CallRecorder } from '../accounts/call-recorder.js';
import type { AppError } from '../errors/app-error.js';
import { CallTurns } from '../http/call-turns.js';
import { RateLimiter } from '../http/rate-limiter.js';
import { apiKeyOf } from '../keys/bearer.guard.js';

/**
 * Counts each request against the limit of its organization before the body of the request is read. Then the request
 * waits for the turn of its organization. Runs after the bearer guard.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly turns: CallTurns,
    private readonly calls: CallRecorder,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const { id, organizationId, origin } = apiKeyOf(request);
    try {
      this.limiter.consume(organizationId, 1);
    } catch (error) {
      const caller = { organizationId, actor: { kind: 'key', id } as const, origin };
      throw this.calls.refused(caller, 'requests', error as AppError);
    }
    const turn = this.turns.take(organizationId);
    return turn === undefined || turn.then(() => true);
  }
}
