import { describe, expect, it } from 'vitest';
import { readRetryAfter, toApiError } from './api-error.js';

describe(readRetryAfter, () => {
  const now = Date.parse('2030-01-01T00:00:00Z');

  it('reads a number of seconds', () => expect(readRetryAfter('30', now)).toBe(30));
  it('reads a date', () => expect(readRetryAfter('Tue, 01 Jan 2030 00:01:30 GMT', now)).toBe(90));
  it('returns 0 for a date that has passed', () =>
    expect(readRetryAfter('Tue, 01 Jan 2019 00:00:00 GMT', now)).toBe(0));
  it('returns undefined for a text that is neither a number nor a date', () =>
    expect(readRetryAfter('soon', now)).toBeUndefined());
});

describe(toApiError, () => {
  it.each([
    [401, 'unauthenticated'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [409, 'conflict'],
    [413, 'payload_too_large'],
    [429, 'rate_limited'],
    [503, 'unavailable'],
    [418, 'unexpected'],
  ])('converts the status %i of a proxy to the code %s', (status, code) => {
    expect(toApiError(status, null, null)).toMatchObject({ status, code, detail: '', faults: [] });
  });

  it('keeps the code, the detail and the current version that the service sent', () => {
    const body = { code: 'conflict', detail: 'Changed.', current_version: 4 };
    expect(toApiError(409, body, null)).toMatchObject({
      code: 'conflict',
      detail: 'Changed.',
      currentVersion: 4,
    });
  });
});
