/** Returns the text with a full stop at its end, unless the text ends with a punctuation mark already. */
export function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
