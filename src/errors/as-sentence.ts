/** Returns the text with a full stop at its end, unless it ends with a mark already. */
export function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
