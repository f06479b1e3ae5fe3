import { Contact } from './contact.entity.js';

/** A contact as queries with {@link CONTACT_COLUMNS} and TypeORM's query builder return it. */
export interface ContactRow {
  contact_organization_id: string;
  contact_id: string;
  contact_external_id: string | null;
  contact_email: string | null;
  contact_phone: string | null;
  contact_first_name: string | null;
  contact_last_name: string | null;
  contact_locale: string | null;
  contact_timezone: string | null;
  contact_tags: string[];
  contact_properties: Contact['properties'];
  contact_consent: Contact['consent'];
  contact_created_at: Date;
  contact_updated_at: Date;
}

/** The select list for a table with the alias `contact`. */
export const CONTACT_COLUMNS = [
  'organization_id',
  'id',
  'external_id',
  'email',
  'phone',
  'first_name',
  'last_name',
  'locale',
  'timezone',
  'tags',
  'properties',
  'consent',
  'created_at',
  'updated_at',
]
  .map((column) => `contact.${column} as contact_${column}`)
  .join(', ');

/** Converts a row faster than TypeORM, which examines the metadata of each column again for each row. */
export function toContact(row: ContactRow): Contact {
  return Object.assign(new Contact(), {
    organizationId: row.contact_organization_id,
    id: row.contact_id,
    externalId: row.contact_external_id,
    email: row.contact_email,
    phone: row.contact_phone,
    firstName: row.contact_first_name,
    lastName: row.contact_last_name,
    locale: row.contact_locale,
    timezone: row.contact_timezone,
    tags: row.contact_tags,
    properties: row.contact_properties,
    consent: row.contact_consent,
    createdAt: row.contact_created_at,
    updatedAt: row.contact_updated_at,
  } satisfies Omit<Contact, 'searchText'>);
}
