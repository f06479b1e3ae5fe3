import { describe, expect, it } from 'vitest';
import { changedConsent, consentOf } from './consent.js';

const BEFORE = {
  email: { status: 'granted', source: 'agent', updated_at: '2026-01-01T00:00:00Z' },
  sms: { status: 'denied', source: 'agent', updated_at: '2026-01-01T00:00:00Z' },
};

describe('consentOf', () => {
  it('returns the decision about each channel', () => {
    expect(consentOf(BEFORE)).toEqual({ email: 'granted', sms: 'denied' });
    expect(consentOf({})).toBeUndefined();
  });
});

describe('changedConsent', () => {
  it('returns only the channels that changed', () => {
    const after = { email: 'denied', sms: 'denied', webhook: 'granted' };
    expect(changedConsent(BEFORE, after)).toEqual({
      consent: { email: 'denied', webhook: 'granted' },
    });
  });

  it('returns no argument when a decision is the same as before or no decision is chosen', () => {
    expect(changedConsent(BEFORE, { email: 'granted' })).toEqual({});
    expect(changedConsent(BEFORE, undefined)).toEqual({});
  });
});
