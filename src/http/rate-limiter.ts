import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Env } from '../config/env.js';
import { AppError } from '../errors/app-error.js';
import { SecurityLog } from '../security/security-log.js';

/**
 * The number of streams that an organization may start in a burst, for example after an outage. This is twice the
 * number that can be open at a time. After these starts, the organization may start one stream a second.
 */
const STREAMS = 128;
const STREAMS_PER_SECOND = 1;

/** The kind of a bucket. A `part` is a webhook, a run or the links for contacts of an organization. */
type Kind = 'organization' | 'part' | 'session';

/**
 * Limits how many calls each organization makes to one process, so that an endless loop of one organization cannot slow
 * down others. Limits that all processes share are in `CredentialLimits`: attempts to sign in, new accounts, new API
 * keys.
 */
@Injectable()
export class RateLimiter {
  /**
   * The buckets of each kind are separate. Otherwise requests for 10,000 parts of an organization would displace the
   * bucket of the organization, which would then be full again.
   */
  private readonly buckets?: Record<Kind, TokenBuckets>;
  private readonly streams?: TokenBuckets;

  constructor(
    env: Env,
    private readonly security: SecurityLog,
  ) {
    if (env.rateLimitPerMinute > 0) {
      const create = (): TokenBuckets =>
        new TokenBuckets(env.rateLimitPerMinute, env.rateLimitPerMinute / 60);
      this.buckets = { organization: create(), part: create(), session: create() };
      this.streams = new TokenBuckets(STREAMS, STREAMS_PER_SECOND);
    }
  }

  /**
   * Counts `points` calls of an organization. When the calls exceed the limit, counts no call and throws
   * `rate_limited`.
   */
  consume(organizationId: string, points: number): void {
    this.take('organization', organizationId, points, organizationId);
  }

  /**
   * Counts a request for a part of an organization: a webhook, a run, or the links for contacts. Each part has the same
   * limit as an organization. With `network`, each network has a separate limit for the part.
   */
  consumeOfPart(organizationId: string, id: string, network = ''): void {
    // The log names only the part. Otherwise strangers in many networks could fill the log.
    this.take('part', `${organizationId} ${id} ${network}`, 1, id);
  }

  /**
   * Counts a request of a session before its organization is known. A session has the same limit as an organization.
   */
  consumeOfSession(digest: string): void {
    this.take('session', digest, 1, 'session');
  }

  /** Counts a stream of an organization. Streams have their own limit, because a stream is more work than a call. */
  countStream(organizationId: string): void {
    const waitSeconds = this.streams?.take(organizationId, 1) ?? 0;
    if (waitSeconds === 0) return;
    this.security.report('rate_limited', { subject: organizationId });
    throw rateLimited(
      `Too many streams were started. Try again in ${Math.ceil(waitSeconds)} s, or keep one open.`,
      waitSeconds,
    );
  }

  private take(kind: Kind, bucket: string, points: number, subject: string): void {
    const waitSeconds = this.buckets?.[kind].take(bucket, points) ?? 0;
    if (waitSeconds === 0) return;
    this.security.report('rate_limited', { subject });
    throw rateLimited('Too many calls. Try again later.', waitSeconds);
  }
}

const MAX_BUCKETS = 10_000;

/**
 * Keeps a token bucket for each key, in the memory of this process. A bucket holds `capacity` tokens and gains
 * `perSecond` tokens a second.
 */
export class TokenBuckets {
  private readonly buckets = new LRUCache<string, { tokens: number; at: number }>({
    max: MAX_BUCKETS,
  });

  constructor(
    private readonly capacity: number,
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Takes `count` tokens. If the bucket has fewer tokens, takes no token and throws `rate_limited` with the message.
   */
  consume(key: string, count: number, message: string): void {
    const waitSeconds = this.take(key, count);
    if (waitSeconds > 0) throw rateLimited(message, waitSeconds);
  }

  /**
   * Takes `count` tokens and returns 0. If the bucket has fewer tokens, takes no token and returns the seconds until it
   * has enough tokens.
   */
  take(key: string, count: number): number {
    const at = this.now();
    const bucket = this.buckets.get(key) ?? { tokens: this.capacity, at };
    bucket.tokens = Math.min(
      this.capacity,
      bucket.tokens + ((at - bucket.at) / 1000) * this.perSecond,
    );
    bucket.at = at;
    this.buckets.set(key, bucket);
    // A full bucket satisfies a request for more than its capacity. Otherwise a larger batch would never pass.
    const needed = Math.min(count, this.capacity);
    if (bucket.tokens < needed) return (needed - bucket.tokens) / this.perSecond;
    bucket.tokens -= needed;
    return 0;
  }
}

/** Returns the error for a caller that may try again after `waitSeconds`. */
export function rateLimited(message: string, waitSeconds: number): AppError {
  return new AppError('rate_limited', message, { retryAfterSeconds: Math.ceil(waitSeconds) });
}
