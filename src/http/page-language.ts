import type { Request } from 'express';
import { shortenList } from '../text/shorten-list.js';

/** The languages of the pages and mails that contacts see. The first language is used when no other language fits. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt'] as const;
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

/**
 * Returns the language of `known` that the browser of a request prefers. Returns the first language when the browser
 * names no language of `known`.
 */
export function preferredLanguage<Known extends string>(
  request: Request,
  known: readonly [Known, ...Known[]],
): Known {
  const { headers } = request;
  const languages = headers['accept-language'];
  if (languages !== undefined) headers['accept-language'] = shortenList(languages);
  const preferred = request.acceptsLanguages([...known]);
  return known.find((language) => language === preferred) ?? known[0];
}
