import { describe, expect, it } from 'vitest';
import { PROPERTY_TYPES } from '../../../src/contacts/property-type.js';
import { draftOf } from '../../forms/draft.js';
import { readDraft } from '../../forms/read-draft.js';
import { readSchema } from '../../forms/schema.js';
import type { Property } from './property.readers.ts';
import { mergeProperties, splitProperties, withDeclared } from './typed-properties.ts';

const SCHEMA = {
  type: 'object',
  properties: { email: { type: ['string', 'null'] }, properties: { type: ['object', 'null'] } },
};
const VALUES: Record<(typeof PROPERTY_TYPES)[number], unknown> = {
  text: 'a',
  number: 5,
  boolean: false,
  date: '2030-01-31',
  enum: 'pro',
  list: ['a', 'b'],
};
const DECLARED: Property[] = PROPERTY_TYPES.map((type) => ({
  name: `my_${type}`,
  type,
  options: type === 'enum' ? ['free', 'pro'] : [],
}));

describe('the form of a contact with declared properties', () => {
  it('returns the values of every type, and other properties, unchanged', () => {
    const typed = Object.entries(VALUES).map(([type, value]) => [`my_${type}`, value]);
    const properties = { ...Object.fromEntries(typed), other: [1] };
    const contact = { email: 'a@example.com', properties };
    const schema = readSchema(withDeclared(SCHEMA, DECLARED));
    const draft = draftOf(schema, splitProperties(contact, DECLARED));
    const { value, faults } = readDraft(schema, draft);
    expect(faults).toEqual([]);
    expect(mergeProperties(value as Record<string, unknown>)).toEqual(contact);
  });

  it('leaves schema and contact unchanged when no property is declared', () => {
    const contact = { properties: { a: 1 } };
    expect(withDeclared(SCHEMA, [])).toBe(SCHEMA);
    expect(mergeProperties(splitProperties(contact, []))).toEqual(contact);
    expect(mergeProperties({ email: 'a' })).toEqual({ email: 'a' });
  });
});
