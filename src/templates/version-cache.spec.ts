import { describe, expect, it } from 'vitest';
import { TextCompiler } from '../liquid/text-compiler.js';
import { PreparedVersion } from './prepared-version.js';
import { VersionCache } from './version-cache.js';

const MIB = 1024 * 1024;
const compiler = new TextCompiler();

/** Uses 30 versions with this text, and returns the number of versions whose parsed texts the cache keeps. */
function countKept(text: string): number {
  const cache = new VersionCache();
  const variants = { en: { email: { subject: 'Hello', html: text, text } } };
  const keys = Array.from({ length: 30 }, (_, index) => `version ${index}`);
  for (const key of keys) {
    new PreparedVersion({ variables: [], variants }, compiler, cache.textsOf(key)).read(
      'email',
      'en',
    );
  }
  const kept = keys.filter((key) => cache.textsOf(key).get('email en') !== undefined);
  // The texts that were used last are kept.
  expect(kept).toEqual(keys.slice(keys.length - kept.length));
  return kept.length;
}

describe(VersionCache, () => {
  // The bytes per character of the parsed HTML were measured in Node.js 20.
  it.each([
    ['outputs', '{{a}}', 207],
    ['arguments of filters', `{{a|append:${'a,'.repeat(50)}a}}`, 167],
    ['values of cycles', `{%cycle ${'1,'.repeat(50)}1%}`, 134],
    ['computed indexes', `{{a${'[b]'.repeat(30)}}}`, 120],
    ['outputs after a string that looks like an end', `{{"}}"|append:${'a,'.repeat(50)}a}}`, 167],
  ])('keeps at most 48 MiB of parsed %s', (_, markup, bytesPerCharacter) => {
    const text = markup.repeat(Math.floor(9900 / markup.length));
    const kept = countKept(text);
    expect(kept).toBeGreaterThan(0);
    // A version has two texts. Each of them needs at least three quarters of the memory that was measured for HTML.
    const bytes = text.length * bytesPerCharacter * 1.5;
    expect(kept * bytes).toBeLessThanOrEqual(48 * MIB);
  });

  it('keeps the parsed texts of all 30 versions when each text has one output', () => {
    expect(countKept(`${'<p>Hello you</p>'.repeat(1000)}{{ contact.first_name }}`)).toBe(30);
  });

  it('does not keep a version whose variables alone are too large', () => {
    const cache = new VersionCache();
    const fallback = Array.from({ length: MIB }, () => []);
    const variables = [{ name: 'a', type: 'list', default: fallback }] as const;
    const content = { variables, variants: {} };
    cache.set('large', new PreparedVersion(content, compiler), content);
    expect(cache.get('large')).toBeUndefined();
  });
});
