import { LONGEST_LOCALE } from '../contacts/parse-field.js';

/**
 * Returns a locale and its shorter forms: `zh-Hant-TW`, `zh-Hant`, `zh`. Returns no forms of a locale that is too long,
 * which only SQL of a tool can store.
 */
function chainOf(locale: string): string[] {
  if (locale.length > LONGEST_LOCALE) return [];
  const parts = locale.split('-');
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('-'));
}

/**
 * Chooses the locale of a variant. Tries each wanted locale and then its shorter forms, and returns the first one that
 * exists. When none of them exists, returns the first existing locale, or undefined if there is none.
 */
export function chooseLocale(
  wanted: readonly (string | null | undefined)[],
  existing: readonly string[],
): string | undefined {
  const known = new Set(existing);
  for (const locale of wanted) {
    const found = locale && chainOf(locale).find((shorter) => known.has(shorter));
    if (found) return found;
  }
  return existing[0];
}
