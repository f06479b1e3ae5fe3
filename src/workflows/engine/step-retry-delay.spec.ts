import type { RetryPolicy, ToolStep } from '../definitions/definition.js';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../errors/app-error.js';
import { getRetryDelaySeconds } from './step-retry-delay.js';

const STEP: ToolStep = { id: 'a', tool: 'a', retry: { max_attempts: 10 } };
const AWAY = new AppError('unavailable', 'Away.');

describe(getRetryDelaySeconds, () => {
  it('multiplies the delay by five from 1 s up to 125 s', () => {
    const delays = [1, 2, 3, 4, 5, 9].map((attempts) => getRetryDelaySeconds(STEP, attempts, AWAY));
    expect(delays).toEqual([1, 5, 25, 125, 125, 125]);
  });

  it('uses the delay that the tool asked for if this delay is longer', () => {
    const asked = (retryAfterSeconds: number) =>
      new AppError('rate_limited', 'Slow down.', { retryAfterSeconds });
    expect(getRetryDelaySeconds(STEP, 1, asked(60))).toBe(60);
    expect(getRetryDelaySeconds(STEP, 3, asked(2))).toBe(25);
  });

  it('follows the retry policy of the step, up to an hour', () => {
    const delays = (retry: RetryPolicy) =>
      [1, 2, 3, 9].map((attempts) =>
        getRetryDelaySeconds({ ...STEP, retry: { max_attempts: 10, ...retry } }, attempts, AWAY),
      );
    expect(delays({ backoff_seconds: 60, backoff_factor: 2 })).toEqual([60, 120, 240, 3600]);
    expect(delays({ backoff_seconds: 10, backoff_factor: 1 })).toEqual([10, 10, 10, 10]);
    expect(delays({ backoff_seconds: 0 })).toEqual([0, 0, 0, 0]);
    expect(delays({ backoff_seconds: 600 })).toEqual([600, 3000, 3600, 3600]);
    expect(delays({ backoff_factor: 2 })).toEqual([1, 2, 4, 125]);
  });

  it('limits every delay to an hour', () => {
    const error = new AppError('rate_limited', 'Later.', { retryAfterSeconds: 86_400 });
    expect(getRetryDelaySeconds(STEP, 1, error)).toBe(3600);
  });

  it('returns undefined after max_attempts, by default after 3', () => {
    expect(getRetryDelaySeconds(STEP, 10, AWAY)).toBeUndefined();
    expect(getRetryDelaySeconds({ id: 'a', tool: 'a' }, 2, AWAY)).toBe(5);
    expect(getRetryDelaySeconds({ id: 'a', tool: 'a' }, 3, AWAY)).toBeUndefined();
  });

  it.each<[string, object]>([
    ['a million attempts', { max_attempts: 1e6 }],
    ['a text as the number of attempts', { max_attempts: 'many' }],
  ])('allows at most 10 attempts, although SQL of a tool stored %s', (_what, retry) => {
    expect(getRetryDelaySeconds({ ...STEP, retry }, 10, AWAY)).toBeUndefined();
  });

  it.each<[string, object]>([
    ['a text', { backoff_seconds: 'x' }],
    ['a negative number', { backoff_seconds: -5 }],
    ['a text as the factor', { backoff_factor: 'x' }],
  ])('is a number of seconds, although SQL of a tool stored %s', (_what, retry) => {
    const step = { ...STEP, retry: { max_attempts: 5, ...retry } };
    expect(getRetryDelaySeconds(step, 2, AWAY)).toBe(0);
  });

  it('retries after an unknown error, and not after an expected refusal', () => {
    expect(getRetryDelaySeconds(STEP, 1, new Error('A bug.'))).toBe(1);
    for (const code of ['invalid_arguments', 'not_found', 'conflict', 'no_consent'] as const) {
      expect(getRetryDelaySeconds(STEP, 1, new AppError(code, 'No.'))).toBeUndefined();
    }
  });

  it('never retries a branch or a wait', () => {
    expect(getRetryDelaySeconds({ id: 'b', if: 'a', then: [] }, 1, AWAY)).toBeUndefined();
  });
});
