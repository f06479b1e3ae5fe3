import { SqlMigration } from './sql-migration.js';

/** Creates contacts and their search by index. */
export class Contacts1764000004000 extends SqlMigration {
  readonly name = 'Contacts1764000004000';
  readonly files = [
    'functions/contact_search_keys.sql',
    'tables/contacts.sql',
    'functions/find_contact_ids.sql',
  ];
  readonly objects = [
    'function public.find_contact_ids',
    'table public.contacts',
    'function private.contact_search_keys',
  ];
}
