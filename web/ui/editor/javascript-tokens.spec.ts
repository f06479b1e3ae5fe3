import { StringStream } from '@codemirror/language';
import { describe, expect, it } from 'vitest';
import { nextToken } from './javascript-tokens.ts';

/** Returns the coloured parts of lines. */
function coloured(...lines: string[]): string[] {
  const state: Parameters<typeof nextToken>[1] = { open: '' };
  return lines.flatMap((line) => {
    const parts: string[] = [];
    const stream = new StringStream(line, 2, 2);
    while (!stream.eol()) {
      stream.start = stream.pos;
      const colour = nextToken(stream, state);
      if (colour !== null) parts.push(`${colour} ${stream.current()}`);
    }
    return parts;
  });
}

describe('the colours of JavaScript', () => {
  it('distinguish keywords, numbers, texts and comments', () => {
    expect(coloured('return a1 + 0x1f + "a\\"b" // end')).toEqual([
      'keyword return',
      'number 0x1f',
      'string "a\\"b"',
      'comment // end',
    ]);
    expect(coloured('x = [true, null, returned]')).toEqual(['bool true', 'null null']);
  });

  it('continue comments and texts in backquotes on the next line, but no other texts', () => {
    expect(coloured('/* a', 'b */ if')).toEqual(['comment /* a', 'comment b */', 'keyword if']);
    expect(coloured('`a', 'b` if')).toEqual(['string `a', 'string b`', 'keyword if']);
    expect(coloured("'a", 'if')).toEqual(["string 'a", 'keyword if']);
  });

  it('never stop before the end of a text', () => {
    for (const text of ['\\', '`\\', '"\\', '/*', '€', '#', '0']) coloured(text, text);
  });
});
