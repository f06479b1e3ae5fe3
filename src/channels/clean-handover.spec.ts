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

  const secret = 'token+of/the account';
  const account = { id: 'pro_1', kind: 'twilio', settings: { account_sid: 'AC1' }, secret };

  it.each([
    ['as it is', secret],
    ['in a form', encodeURIComponent(secret).replaceAll('%20', '+')],
    ['in JSON', secret.replaceAll('/', String.raw`\u002f`)],
    ['in HTTP Basic', Buffer.from(`AC1:${secret}`).toString('base64')],
    ['across the end of the stored reason', `${'x'.repeat(985)}${secret}`],
  ])('hides the secret of the provider in a reason: %s', (_how, text) => {
    const refused = {
      outcome: 'refused',
      code: 'provider_refused',
      reason: `Got ${text}`,
    } as const;
    expect(cleanHandover(refused, account)).toMatchObject({
      reason: expect.stringMatching(/^Got x*\[secret of [ a-z]*\]?$/) as string,
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
