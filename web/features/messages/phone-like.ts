/** Returns true for a text that has only digits and the signs between the parts of a phone number. */
export function isPhoneLike(text: string): boolean {
  return /^\+?[\d\s()/.-]+$/.test(text) && /\d/.test(text);
}
