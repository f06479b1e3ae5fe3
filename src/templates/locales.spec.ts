import { describe, expect, it } from 'vitest';
import { chooseLocale } from './locales.js';

describe(chooseLocale, () => {
  it.each([
    [['zh-Hant-TW'], ['en', 'zh', 'zh-Hant'], 'zh-Hant'],
    [[null, 'de-AT', 'fr'], ['fr', 'de'], 'de'],
    [['it'], ['en', 'de'], 'en'],
    [['it'], [], undefined],
  ])('of %j and %j returns %j', (wanted, existing, chosen) => {
    expect(chooseLocale(wanted, existing)).toBe(chosen);
  });

  it('ignores a locale that is too long for a contact, however many parts it has', () => {
    expect(chooseLocale(['-'.repeat(1_000_000), 'de'], ['en', 'de'])).toBe('de');
    expect(chooseLocale([`de${'-x'.repeat(32)}`], ['en', 'de'])).toBe('en');
  });
});
