import { describe, expect, it } from 'vitest';
import { preferredWait } from './webhook.js';

describe(preferredWait, () => {
  it.each<[string | undefined, number]>([
    [undefined, 20],
    ['', 20],
    ['return=minimal', 20],
    ['wait=5', 5],
    ['wait=0', 0],
    ['Wait = "7"', 7],
    ['respond-async, wait=10', 10],
    ['wait=5, wait=9', 5],
    ['wait=9; foo=bar', 9],
    ['wait=100', 20],
    ['wait=999999999', 20],
    ['respond-async', 0],
    ['wait=-1', 20],
    ['wait=1e1', 20],
    ['await=3', 20],
  ])('returns for the header Prefer: %s, with a limit of 20 s: %i s', (prefer, seconds) => {
    expect(preferredWait(prefer, 20)).toBe(seconds);
  });

  it('returns at most 30 s, although SQL of a tool stored a longer time', () => {
    expect(preferredWait(undefined, 1e9)).toBe(30);
    expect(preferredWait('wait=100', 1e9)).toBe(30);
  });

  it('returns 0 when the workflow does not let senders wait', () => {
    expect(preferredWait('wait=10', undefined)).toBe(0);
  });
});
