import { type Read, dictionary, json, list, nullable, record, text } from './reader.js';

/** Reads a contact. */
export const contact = record({
  id: text,
  external_id: nullable(text),
  email: nullable(text),
  phone: nullable(text),
  first_name: nullable(text),
  last_name: nullable(text),
  locale: nullable(text),
  timezone: nullable(text),
  tags: list(text),
  properties: dictionary(json),
  consent: dictionary(json),
  created_at: text,
  updated_at: text,
});
export type Contact = Read<typeof contact>;

export const contactResult = record({ contact });

/** Returns the name of a contact, or else an identifier. Returns undefined when the contact has neither. */
export function nameOf(person: Contact): string | undefined {
  const name = [person.first_name?.trim(), person.last_name?.trim()].filter(Boolean).join(' ');
  return name || (person.email ?? person.phone ?? person.external_id ?? undefined);
}
