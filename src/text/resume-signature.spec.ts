import { describe, expect, it } from 'vitest';
import { hideResumeSignatures } from './resume-signature.js';

const SIGNATURE = '0123456789abcdef'.repeat(4);
const TOKEN = 'org_a1.run_b2.loop%5B0%5D.ask';

describe(hideResumeSignatures, () => {
  it('removes the signature of every resume URL', () => {
    const url = (signature: string): string => `http://a/api/webhooks/resume/${TOKEN}.${signature}`;
    const text = (signature: string): string =>
      `{"a":"${url(signature)}","b":"(${url(signature)})"}`;
    expect(hideResumeSignatures(text(SIGNATURE))).toBe(text('hidden'));
  });

  it.each([
    ['a hash', `sha256.${SIGNATURE}`],
    ['a longer number', `${TOKEN}.${SIGNATURE}a`],
    ['a hash far from a run', `${TOKEN}${' '.repeat(800)}.${SIGNATURE}`],
  ])('keeps %s', (_case, text) => expect(hideResumeSignatures(text)).toBe(text));
});
