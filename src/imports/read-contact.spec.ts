import { describe, expect, it } from 'vitest';
import type { ContactRules } from '../contacts/contact-rules.js';
import { readContact } from './read-contact.js';

const rules = {
  properties: new Map([['vip', { type: 'boolean', options: null }]]),
} as unknown as ContactRules;
const mapping = { A: 'consent.email', B: 'properties.vip' };
const MANY = 250_000;
const read = (...cells: string[]) => readContact(cells, ['A', 'B'], mapping, rules);

describe('readContact', () => {
  it('reads the words for consent and for booleans', () => {
    expect(read('Yes', 'NO')).toEqual({
      consent: { email: 'granted' },
      properties: { vip: false },
    });
  });

  it.each(['constructor', '__proto__', 'toString'])(
    'keeps the text %s, which is also the name of a member of every object',
    (text) => {
      expect(read(text, text)).toEqual({
        consent: { email: text.toLowerCase() },
        properties: { vip: text },
      });
    },
  );

  it('returns all tags of a cell with more tags than a call can have arguments', () => {
    const cell = 'a,'.repeat(MANY);
    const { tags } = readContact([cell], ['A'], { A: 'tags' }, rules) as { tags: string[] };
    expect(tags).toHaveLength(MANY);
  });
});
