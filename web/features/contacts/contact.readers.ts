import { message, nextCursor } from '../../api/page-readers.js';
import {
  type Read,
  boolean,
  dictionary,
  json,
  list,
  nullable,
  number,
  record,
  text,
} from '../../api/reader.js';

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
export const contactPage = record({ contacts: list(contact), next_cursor: nextCursor });
const traces = record({ messages: number, runs: number, suppressions: number });
export const deletedResult = record({ deleted: boolean, removed: traces, kept: traces });
/** Reads the answer of a dry run. */
export const deletionPreview = record({ result: deletedResult });
export const contactMessages = record({ messages: list(message), next_cursor: nextCursor });
export const contactRuns = record({
  runs: list(record({ id: text, status: text, created_at: text })),
  next_cursor: nextCursor,
});

/** Returns the name of a contact, or else an identifier. Returns undefined when the contact has neither. */
export function nameOf(person: Contact): string | undefined {
  const name = [person.first_name?.trim(), person.last_name?.trim()].filter(Boolean).join(' ');
  return name || (person.email ?? person.phone ?? person.external_id ?? undefined);
}
