import { describe, expect, it } from 'vitest';
import { TextCompiler } from '../liquid/text-compiler.js';
import { inlineSnippets } from './inline-snippets.js';

const compiler = new TextCompiler();

describe(inlineSnippets, () => {
  it('leaves out the blanks beside a tag', () => {
    const snippets = new Map([
      ['a', `A${' '.repeat(10)}{%- render 'b' -%}`],
      ['b', 'B'],
    ]);
    expect(inlineSnippets(`{% render 'a' %} C`, snippets, compiler).text).toBe('AB C');
  });

  it('refuses snippets that have more than 1 MiB together, however short the result is', () => {
    const blanks = ' '.repeat(200_000);
    const snippets = new Map([
      ['a', `${blanks}{%- render 'b' -%}`],
      ['b', ''],
    ]);
    const tags = (count: number): string => `{% render 'a' %}`.repeat(count);
    expect(inlineSnippets(tags(5), snippets, compiler).text).toBe('');
    expect(() => inlineSnippets(tags(6), snippets, compiler)).toThrow('too long with its snippets');
  });
});
