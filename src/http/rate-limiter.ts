import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';
import { AppError } from '../errors/app-error.js';
import { TokenBuckets } from './token-buckets.js';

/** Bounds what one organization can ask of one process, so that a loop gone wild does not starve the others. */
@Injectable()
export class RateLimiter {
  private readonly buckets?: TokenBuckets;

  constructor(env: Env) {
    if (env.rateLimitPerMinute > 0) {
      this.buckets = new TokenBuckets(env.rateLimitPerMinute, env.rateLimitPerMinute / 60);
    }
  }

  /** Takes `points` of the allowance of an organization, or of one webhook, or throws `rate_limited` and takes nothing. */
  consume(id: string, points: number): void {
    const waitSeconds = this.buckets?.take(id, points) ?? 0;
    if (waitSeconds > 0) {
      throw new AppError('rate_limited', 'Too many calls. Try again later.', {
        retryAfterSeconds: Math.ceil(waitSeconds),
      });
    }
  }
}
