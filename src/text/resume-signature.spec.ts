import { describe, expect, it } from 'vitest';
import { hideResumeSignatures } from './resume-signature.js';

const RUN = 'org_a1.run_b2.';
const STEP_AND_SIGNATURE = `loop%5B0%5D.ask.${'0123456789abcdef'.repeat(4)}`;

describe(hideResumeSignatures, () => {
  it('replaces step and signature of every resume URL, and keeps the length', () => {
    const text = (rest: string): string =>
      `{"a":"http://a/api/webhooks/resume/${RUN}${rest}","b":"(see ${RUN}${rest} or \\n)"}`;
    const hidden = hideResumeSignatures(text(STEP_AND_SIGNATURE));
    expect(hidden).toHaveLength(text(STEP_AND_SIGNATURE).length);
    expect(hidden).toContain(`"http://a/api/webhooks/resume/${RUN}xxx`);
    expect(hidden).not.toMatch(/loop|0123/);
  });

  it('replaces the signature of a step in a loop after its URL was decoded', () => {
    const rest = `loop:page[0].ask.${'0123456789abcdef'.repeat(4)}`;
    expect(hideResumeSignatures(RUN + rest)).toBe(RUN + 'x'.repeat(rest.length));
  });

  it('replaces a truncated signature', () => {
    expect(hideResumeSignatures(`${RUN}ask.0123456`)).toBe(`${RUN}xxxxxxxxxxx`);
  });

  it.each([`sha256.${'0123456789abcdef'.repeat(4)}`, 'org_a1', 'org_a1.run_b2', 'org_a1 run_b2.c'])(
    'keeps %s',
    (text) => expect(hideResumeSignatures(text)).toBe(text),
  );
});
