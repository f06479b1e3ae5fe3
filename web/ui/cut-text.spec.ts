import { describe, expect, it } from 'vitest';
import {
  cutText,
  foreignLine,
  formatJson,
  hasHidden,
  isTooDeep,
  revealHidden,
  splitText,
} from './cut-text.js';

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
  it('replaces values that are nested deeper than 30 levels', () => {
    const text = formatJson(nested(200));
    expect(text).toContain('{…}');
    expect(text.split('\n').length).toBeLessThan(70);
    expect(isTooDeep(nested(200))).toBe(true);
    expect(isTooDeep(nested(29))).toBe(false);
  });

  it('returns a text for undefined', () => expect(formatJson(undefined)).toBe('undefined'));
});

describe(revealHidden, () => {
  it('shows the code point in place of each character that changes the direction of a text', () => {
    expect(revealHidden('a\u202eb')).toBe('a⟨U+202E⟩b');
  });

  it('keeps lines, tabs and letters of every script', () => {
    expect(revealHidden('a\n\tä 語 👍')).toBe('a\n\tä 語 👍');
  });

  it.each(['می‌خواهم', 'ක්‍රියා', '👩‍👩‍👧', '❤️', '1️⃣', '葛\u{e0100}'])(
    'keeps the joiners and variation selectors that are a part of %s',
    (word) => expect(revealHidden(word)).toBe(word),
  );

  it.each([
    ['a\u200db', 'a⟨U+200D⟩b'],
    ['\u{1f469}\u200d\u200d\u{1f469}', '\u{1f469}\u200d⟨U+200D⟩\u{1f469}'],
    ['a\ufe0f', 'a⟨U+FE0F⟩'],
    ['\u3164', '⟨U+3164⟩'],
    ['a\u{e0041}', 'a⟨U+E0041⟩'],
    ['\u2067a', '⟨U+2067⟩a'],
  ])('shows invisible characters where no language needs them: %j', (text, shown) => {
    expect(revealHidden(text)).toBe(shown);
    expect(hasHidden(text)).toBe(true);
  });
});

describe(foreignLine, () => {
  it('returns one line of limited length', () => {
    expect(foreignLine(' a\n b\t')).toBe('a b');
    expect(foreignLine('😀'.repeat(1000)).length).toBeLessThanOrEqual(301);
    expect(foreignLine('😀'.repeat(1000), 3).isWellFormed()).toBe(true);
  });

  it('returns nothing for a text of spaces', () => expect(foreignLine(' \u3000\n')).toBe(''));
});

describe(splitText, () => {
  it('ends each part at the end of a line, and returns every character once', () => {
    const text = `${'x'.repeat(15_000)}\n`.repeat(4);
    const parts = splitText(text);
    expect(parts).toHaveLength(4);
    expect(parts.join('')).toBe(text);
  });

  it('splits one long line between characters', () => {
    const text = `x${'😀'.repeat(100_000)}`;
    const parts = splitText(text);
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(20_000);
    expect(parts.every((part) => part.isWellFormed())).toBe(true);
    expect(parts.join('')).toBe(text);
  });

  it('returns a short text as one part', () => expect(splitText('a\nb')).toEqual(['a\nb']));
});
