import { describe, expect, it } from 'vitest';
import { cutText, formatJson, isTooDeep, revealHidden } from './cut-text.js';

const nested = (depth: number): unknown =>
  Array.from({ length: depth }).reduce<unknown>((inner) => ({ a: inner }), 1);

describe(cutText, () => {
  it('keeps a short text', () => expect(cutText('one\ntwo')).toBe('one\ntwo'));

  it('cuts a line of a million characters', () => {
    expect(cutText('x'.repeat(1_000_000)).length).toBeLessThan(2100);
  });

  it('cuts a text of a million lines', () => {
    expect(cutText('x\n'.repeat(1_000_000)).length).toBeLessThanOrEqual(20_000);
  });
});

describe(formatJson, () => {
  it('replaces what is nested deeper than 30 levels', () => {
    const text = formatJson(nested(200));
    expect(text).toContain('{…}');
    expect(text.split('\n').length).toBeLessThan(70);
    expect(isTooDeep(nested(200))).toBe(true);
    expect(isTooDeep(nested(29))).toBe(false);
  });

  it('prints a missing value', () => expect(formatJson(undefined)).toBe('undefined'));
});

describe(revealHidden, () => {
  it('shows what would change the order of a text', () => {
    expect(revealHidden('a\u202eb')).toBe('a⟨U+202E⟩b');
  });

  it('keeps lines, tabs and letters of every script', () => {
    expect(revealHidden('a\n\tä 語 👍')).toBe('a\n\tä 語 👍');
  });
});
