import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';
import { AppError } from '../errors/app-error.js';

/** Limits the calls of each organization to one process, so that an endless loop of one does not slow down the others. */
@Injectable()
export class RateLimiter {
  private readonly buckets?: TokenBuckets;

  constructor(env: Env) {
    if (env.rateLimitPerMinute > 0) {
      this.buckets = new TokenBuckets(env.rateLimitPerMinute, env.rateLimitPerMinute / 60);
    }
  }

  /** Counts `points` calls of an organization or webhook. Throws `rate_limited` and counts nothing when too many. */
  consume(id: string, points: number): void {
    const waitSeconds = this.buckets?.take(id, points) ?? 0;
    if (waitSeconds > 0) {
      throw new AppError('rate_limited', 'Too many calls. Try again later.', {
        retryAfterSeconds: Math.ceil(waitSeconds),
      });
    }
  }
}

const MAX_BUCKETS = 10_000;

/**
 * Keeps a token bucket for each key, in the memory of this process. A bucket holds `capacity` tokens and gains `perSecond`
 * tokens a second.
 */
export class TokenBuckets {
  private readonly buckets = new Map<string, { tokens: number; at: number }>();

  constructor(
    private readonly capacity: number,
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Takes `count` tokens and returns 0, or takes none and returns the seconds until the bucket has enough. */
  take(key: string, count: number): number {
    const at = this.now();
    const bucket = this.buckets.get(key) ?? { tokens: this.capacity, at };
    bucket.tokens = Math.min(
      this.capacity,
      bucket.tokens + ((at - bucket.at) / 1000) * this.perSecond,
    );
    bucket.at = at;
    // Inserting again keeps the map in order of last use, so that its first entry is the least recently used one.
    this.buckets.delete(key);
    this.buckets.set(key, bucket);
    if (this.buckets.size > MAX_BUCKETS) this.forgetOldest();
    // A full bucket satisfies a request for more than its capacity. Otherwise a large batch would never pass.
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
