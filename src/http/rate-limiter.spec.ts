import { describe, expect, it, vi } from 'vitest';
import type { Env } from '../config/env.js';
import { SecurityLog } from '../security/security-log.js';
import { RateLimiter, TokenBuckets } from './rate-limiter.js';

describe(RateLimiter, () => {
  it('does not forget the count of an organization when 10,000 of its runs and sessions are counted too', () => {
    const limiter = new RateLimiter({ rateLimitPerMinute: 1 } as Env, new SecurityLog());
    limiter.consume('org_a', 1);
    for (let index = 0; index < 10_000; index += 1) {
      limiter.consumeOfPart('org_a', String(index));
      limiter.consumeOfSession(String(index));
    }
    const refusal = expect.objectContaining({ code: 'rate_limited' });
    expect(() => limiter.consume('org_a', 1)).toThrow(refusal);
  });
});

describe('RateLimiter.consumeOfPart', () => {
  it('gives each network a separate limit, and names only the part in the security log', () => {
    const security = new SecurityLog();
    const report = vi.spyOn(security, 'report').mockReturnValue();
    const limiter = new RateLimiter({ rateLimitPerMinute: 1 } as Env, security);
    const refusal = expect.objectContaining({ code: 'rate_limited' });
    for (const network of ['192.0.2.1', '192.0.2.2']) {
      limiter.consumeOfPart('org_a', 'wfl_a', network);
      expect(() => limiter.consumeOfPart('org_a', 'wfl_a', network)).toThrow(refusal);
    }
    const event = ['rate_limited', { subject: 'wfl_a' }];
    expect(report.mock.calls).toEqual([event, event]);
  });
});

describe(TokenBuckets, () => {
  it('gives out its tokens, then returns the seconds to wait, and refills', () => {
    let now = 0;
    const buckets = new TokenBuckets(10, 2, () => now);
    expect(buckets.take('a', 10)).toBe(0);
    expect(buckets.take('a', 4)).toBe(2);
    expect(buckets.take('b', 1)).toBe(0);
    now = 2000;
    expect(buckets.take('a', 4)).toBe(0);
    now = 1_000_000;
    expect(buckets.take('a', 10)).toBe(0);
    expect(buckets.take('a', 1)).toBe(0.5);
  });

  it('accepts a request for more tokens than its capacity when the bucket is full', () => {
    const buckets = new TokenBuckets(10, 2, () => 0);
    expect(buckets.take('a', 20)).toBe(0);
    expect(buckets.take('a', 1)).toBeGreaterThan(0);
  });

  it('forgets the least recently used keys', () => {
    const buckets = new TokenBuckets(1, 1, () => 0);
    buckets.take('first', 1);
    for (let index = 0; index < 10_000; index += 1) buckets.take(String(index), 1);
    expect(buckets.take('first', 1)).toBe(0);
  });
});
