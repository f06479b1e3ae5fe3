import { describe, expect, it } from 'vitest';
import { cleanHandover } from './clean-handover.js';

describe(cleanHandover, () => {
  it.each([
    ['a NUL', 'a\u0000b'],
    ['a line break', 'a\nb'],
    ['256 characters', 'x'.repeat(256)],
  ])("drops a provider's id with %s", (_what, providerMessageId) => {
    expect(cleanHandover({ outcome: 'sent', providerMessageId })).toEqual({ outcome: 'sent' });
  });

  it("keeps a provider's id of 255 characters", () => {
    const sent = { outcome: 'sent', providerMessageId: 'x'.repeat(255) } as const;
    expect(cleanHandover(sent)).toEqual(sent);
  });

  it('replaces characters of a reason that PostgreSQL refuses, and cuts the reason to 1,000 characters', () => {
    const reason = `\u0000\ud800${'x'.repeat(2000)}`;
    expect(cleanHandover({ outcome: 'refused', code: 'provider_refused', reason })).toEqual({
      outcome: 'refused',
      code: 'provider_refused',
      reason: `\ufffd\ufffd${'x'.repeat(998)}`,
    });
  });

  it.each([
    [Number.NaN, 0],
    [-5, 0],
    [1e300, 86_400],
    [30, 30],
  ])('limits a pause of %d seconds before a retry to %d', (given, expected) => {
    const failed = { outcome: 'failed', code: 'provider_refused', reason: 'x' } as const;
    expect(cleanHandover({ ...failed, retryAfterSeconds: given })).toEqual({
      ...failed,
      retryAfterSeconds: expected,
    });
  });
});
