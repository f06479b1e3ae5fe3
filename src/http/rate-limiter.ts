import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';
import { AppError } from '../errors/app-error.js';

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

const MOST_BUCKETS = 10_000;

/** Token buckets by key: each holds `capacity` tokens and gains `perSecond`. In the memory of this process only. */
export class TokenBuckets {
  private readonly buckets = new Map<string, { tokens: number; at: number }>();

  constructor(
    private readonly capacity: number,
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Takes `count` tokens and returns 0, or takes none and returns the seconds until that many would be there. */
  take(key: string, count: number): number {
    const at = this.now();
    const bucket = this.buckets.get(key) ?? { tokens: this.capacity, at };
    bucket.tokens = Math.min(
      this.capacity,
      bucket.tokens + ((at - bucket.at) / 1000) * this.perSecond,
    );
    bucket.at = at;
    // Re-inserting keeps the map in order of last use, so that the first entries are the ones to forget.
    this.buckets.delete(key);
    this.buckets.set(key, bucket);
    if (this.buckets.size > MOST_BUCKETS) this.forgetOldest();
    // A request for more than a bucket can ever hold is let through once the bucket is full.
    const needed = Math.min(count, this.capacity);
    if (bucket.tokens < needed) return (needed - bucket.tokens) / this.perSecond;
    bucket.tokens -= needed;
    return 0;
  }

  private forgetOldest(): void {
    const [oldest] = this.buckets.keys();
    if (oldest !== undefined) this.buckets.delete(oldest);
  }
}
