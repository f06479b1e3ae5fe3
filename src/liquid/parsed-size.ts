import { type Token, TokenKind } from 'liquidjs';

/** The largest measured memory, in bytes, that one word or one other character of markup takes in a parsed text. */
const BYTES_PER_PIECE = 250;
const BYTES_PER_CHARACTER = 2;

/**
 * Returns the largest number of bytes that a parsed text can take. `{{a}}` takes 200 times as many bytes as it has
 * characters. If a cache counted only characters, short outputs would fill the memory of the process.
 */
export function parsedSize(text: string, tokens: readonly Token[]): number {
  let pieces = 0;
  for (const { kind, begin, end } of tokens) {
    if (kind !== TokenKind.HTML)
      pieces += text.slice(begin, end).match(/\w+|[^\w\s]/g)?.length ?? 0;
  }
  return text.length * BYTES_PER_CHARACTER + pieces * BYTES_PER_PIECE;
}
