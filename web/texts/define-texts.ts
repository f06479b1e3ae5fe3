export type Language = 'en' | 'de';

/** A text, a function that returns a text with values in it, or a group of texts. */
type Entry = string | ((...values: never[]) => string) | { readonly [name: string]: Entry };

/** Declares the texts of one area in every language. A missing translation does not compile. */
export function defineTexts<T extends { readonly [name: string]: Entry }>(
  en: T,
  de: NoInfer<T>,
): Record<Language, T> {
  return { en, de };
}
