import type { Request } from 'express';

/** The languages of the pages and mails that contacts see. The first is used when no other one fits. */
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
  const preferred = request.acceptsLanguages([...LANGUAGES]);
  return LANGUAGES.find((known) => known === preferred) ?? 'en';
}
