/**
 * Returns a locale and its shorter forms: `zh-Hant-TW`, `zh-Hant`, `zh`.
 */
function chainOf(locale: string): string[] {
  const parts = locale.split('-');
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('-'));
}

/**
 * Chooses the locale of a variant. Returns the first wanted locale that exists, where each one is tried in its shorter
 * forms too. Otherwise returns the first existing locale, or undefined when there is none.
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
