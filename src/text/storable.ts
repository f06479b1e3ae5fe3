/** Replaces the characters that PostgreSQL cannot store in text. */
export function storable(text: string): string {
  return text.replaceAll('\u0000', '\ufffd').toWellFormed();
}
