import { SqlMigration } from './sql-migration.js';

/**
 * Creates contacts with their aliases, settings and declared properties, and the indexes that the search of contacts
 * uses.
 */
export class Contacts1764000004000 extends SqlMigration {
  readonly name = 'Contacts1764000004000';
  readonly files = [
    'functions/contact_search_keys.sql',
    'functions/contact_filter_keys.sql',
    'tables/contacts.sql',
    'functions/find_contact_ids.sql',
    'functions/find_contacts_by_keys.sql',
    'functions/claim_contact_addresses.sql',
    'functions/claim_alias.sql',
    'tables/contact_aliases.sql',
    'tables/contact_settings.sql',
    'tables/contact_properties.sql',
  ];
  readonly objects = [
    'table public.contact_properties',
    'table public.contact_settings',
    'table public.contact_aliases',
    'function public.find_contacts_by_keys',
    'function public.find_contact_ids',
    'table public.contacts',
    'function private.claim_alias',
    'function private.claim_contact_addresses',
    'function private.contact_filter_keys',
    'function private.contact_search_keys',
  ];
}
