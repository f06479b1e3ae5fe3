/** Counts the tokens (o200k_base) of a text. The first import installs the tokenizer. */
export function countTokens(text: string): number;
