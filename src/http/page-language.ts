import type { Request } from 'express';

/** The languages of the pages and mails that contacts see. The first is used when no other one fits. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt'] as const;
/** The largest number of characters of `Accept-Language` that are read. Browsers send fewer. */
const LONGEST_HEADER = 200;
export type Language = (typeof LANGUAGES)[number];

/**
 * Returns the language of a contact's locale, such as `pt-BR`, or undefined when there are no texts in that language.
 */
export function languageOfLocale(locale: string | null): Language | undefined {
  const [language] = (locale ?? '').toLowerCase().split(/[-_]/);
  return LANGUAGES.find((known) => known === language);
}

/** Returns the language that the browser of a request prefers. */
export function languageOfRequest(request: Request): Language {
  return preferredLanguage(request, LANGUAGES);
}

/** Returns the one of `known` that the browser of a request prefers, or the first one when the browser names none. */
export function preferredLanguage<Known extends string>(
  request: Request,
  known: readonly [Known, ...Known[]],
): Known {
  const { headers } = request;
  headers['accept-language'] = shorten(headers['accept-language']);
  const preferred = request.acceptsLanguages([...known]);
  return known.find((language) => language === preferred) ?? known[0];
}

/**
 * Keeps the first languages of a header. Without this limit, a long header of a stranger costs 20 ms of processor
 * time.
 */
function shorten(header: string | undefined): string | undefined {
  if (header === undefined || header.length <= LONGEST_HEADER) return header;
  // The last language is dropped, because its weight may be cut off. Without a weight, it would be the preferred
  // language.
  return header.slice(0, Math.max(0, header.lastIndexOf(',', LONGEST_HEADER)));
}
