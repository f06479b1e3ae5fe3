import { describe, expect, it } from 'vitest';
import { hideMarkup, restoreMarkup, restoreSomeMarkup } from './placeholders.js';

const HTML = '<p>{{ a }} and {{ b }}</p>';
const PLACES = [
  { begin: 3, end: 10 },
  { begin: 15, end: 22 },
];

/** Returns the markup that is hidden in {@link HTML}, and the number of times that a piece of it was read. */
function countingReads() {
  const hidden = hideMarkup(HTML, PLACES);
  let reads = 0;
  const markup = new Proxy(hidden.markup, {
    get: (target, name, receiver) => {
      if (typeof name === 'string' && /^\d+$/.test(name)) reads += 1;
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  return { hidden: { ...hidden, markup }, reads: () => reads };
}

describe(hideMarkup, () => {
  it('chooses words that the author of the text cannot predict', () => {
    const prefixes = Array.from({ length: 100 }, () => hideMarkup(HTML, PLACES).prefix);
    expect(new Set(prefixes).size).toBe(100);
  });
});

describe(restoreMarkup, () => {
  it('restores the text', () => {
    const hidden = hideMarkup(HTML, PLACES);
    expect(hidden.text).not.toContain('{{');
    expect(restoreMarkup(hidden.text, hidden)).toBe(HTML);
  });

  it('removes the empty value that was added to a word in the place of an attribute', () => {
    const hidden = hideMarkup('<p {{ a }}>', [{ begin: 3, end: 10 }]);
    expect(restoreMarkup(hidden.text.replace('>', '="">'), hidden)).toBe('<p {{ a }}>');
  });

  it('restores nothing when a word is lost, doubled or moved', () => {
    const hidden = hideMarkup(HTML, PLACES);
    const [first, second] = [`${hidden.prefix}0z`, `${hidden.prefix}1z`];
    for (const text of ['', first, second, `${second}${first}`, `${first}${second}${second}`]) {
      expect(restoreMarkup(text, hidden)).toBeUndefined();
    }
  });

  it('stops at the first word that is doubled', () => {
    const { hidden, reads } = countingReads();
    expect(restoreMarkup(`${hidden.prefix}0z`.repeat(30_000), hidden)).toBeUndefined();
    expect(reads()).toBeLessThan(10);
  });
});

describe(restoreSomeMarkup, () => {
  it('restores the words that are left, in any order', () => {
    const hidden = hideMarkup(HTML, PLACES);
    expect(restoreSomeMarkup(`x ${hidden.prefix}1z`, hidden)).toBe('x {{ b }}');
    expect(restoreSomeMarkup(`${hidden.prefix}1z${hidden.prefix}0z`, hidden)).toBe(
      '{{ b }}{{ a }}',
    );
  });

  it('restores each word once', () => {
    const hidden = hideMarkup(HTML, PLACES);
    expect(restoreSomeMarkup(`x${`${hidden.prefix}0z`.repeat(3)}`, hidden)).toBe('x{{ a }}');
  });
});
