import { SqlMigration } from './sql-migration.js';

/** Contacts and their search by index. */
export class Contacts1764000004000 extends SqlMigration {
  readonly name = 'Contacts1764000004000';
  readonly files = [
    'functions/search_keys.sql',
    'tables/contacts.sql',
    'functions/contacts_containing.sql',
  ];
  readonly objects = [
    'function public.contacts_containing',
    'table public.contacts',
    'function private.search_keys',
  ];
}
