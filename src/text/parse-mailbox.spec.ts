import { describe, expect, it } from 'vitest';
import { parseMailbox } from './parse-mailbox.js';

describe('parseMailbox', () => {
  it.each([
    ['ada@example.com', '', 'ada@example.com'],
    [' Ada@Example.COM ', '', 'ada@example.com'],
    ['<ada@example.com>', '', 'ada@example.com'],
    ['Ada Lovelace <ada@example.com>', 'Ada Lovelace', 'ada@example.com'],
    ['"Lovelace, Ada" <ada@example.com>', 'Lovelace, Ada', 'ada@example.com'],
    ['Größe 🎉 <ada@xn--mnchen-3ya.de>', 'Größe 🎉', 'ada@münchen.de'],
  ])('reads %s', (text, name, address) => {
    expect(parseMailbox(text)).toEqual({ value: { name, address } });
  });

  it.each([
    ['nothing', ''],
    ['no address', 'Ada'],
    ['two addresses', 'ada@example.com, bob@example.com'],
    ['two named addresses', 'Ada <ada@example.com>, Bob <bob@example.com>'],
    ['an address as the name', 'boss@example.com <ada@example.com>'],
    ['an address before a quoted name', '"boss@example.com" <ada@example.com>'],
    ['a quoted local part', '"ada lovelace"@example.com'],
    ['a line break', 'Ada\r\nBcc: <ada@example.com>'],
    ['a line break in a quoted name', '"Ada\nBcc: x" <ada@example.com>'],
    ['U+0000', 'A\0da <ada@example.com>'],
    ['a bidi control', 'A\u202eda <ada@example.com>'],
    ['a line separator', 'A\u2028da <ada@example.com>'],
    ['half of a surrogate pair', 'A\ud800 <ada@example.com>'],
    ['an encoded word', '=?utf-8?q?=0A?= <ada@example.com>'],
    ['a long name', `${'x'.repeat(101)} <ada@example.com>`],
    ['a long address', `ada@${'x'.repeat(300)}.example`],
    ['more spaces than any name has', `a${' '.repeat(200_000)}!`],
    ['two pairs of brackets', 'Ada <<ada@example.com>>'],
  ])('refuses %s', (_case, text) => {
    expect(parseMailbox(text)).toHaveProperty('fault');
  });
});
