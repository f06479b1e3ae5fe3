import type { Outcome, TestOrganization } from '../support/organization.js';
import type { Contact, ContactResult } from './contact.js';

export interface MovedRows {
  messages: number;
  runs: number;
  waits: number;
  events: number;
  aliases: number;
}

export interface Merged {
  contact: Contact;
  merged_id: string;
  moved: MovedRows;
  values: { field: string; value: string; from: string; other: string | null }[];
  aliases: { kind: string; value: string }[];
}

export interface Unmerged {
  contact: Contact;
  survivor: Contact;
  moved: MovedRows;
  missing: string[];
}

let counter = 0;

/** Creates a contact, by default with an e-mail address that no other contact has. */
export async function createContact(
  organization: TestOrganization,
  fields: object = {},
): Promise<Contact> {
  counter += 1;
  const { value, error } = await organization.call<ContactResult>('create_contact', {
    email: `merge${counter}@merge.example.com`,
    ...fields,
  });
  if (error) throw new Error(error.message);
  return value.contact;
}

export async function find(organization: TestOrganization, id: string): Promise<Contact> {
  const { value, error } = await organization.call<ContactResult>('get_contact', {
    contact_id: id,
  });
  if (error) throw new Error(error.message);
  return value.contact;
}

/** Merges the second contact into the first. */
export function merge(
  organization: TestOrganization,
  contactId: string,
  otherId: string,
): Promise<Outcome<Merged>> {
  return organization.call<Merged>('merge_contacts', { contact_id: contactId, other_id: otherId });
}

export function unmerge(
  organization: TestOrganization,
  mergedId: string,
): Promise<Outcome<Unmerged>> {
  return organization.call<Unmerged>('unmerge_contacts', { merged_id: mergedId });
}
