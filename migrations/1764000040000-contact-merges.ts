import { SqlMigration } from './sql-migration.js';

/** Stores which contacts were merged. A look-up by the id of a merged contact then finds the survivor. */
export class ContactMerges1764000040000 extends SqlMigration {
  readonly name = 'ContactMerges1764000040000';
  readonly files = [
    'tables/contact_merges.sql',
    'functions/surviving_contact.sql',
    'functions/limit_lock_waits.sql',
    'functions/purge_contact_merges.sql',
    'functions/tenant_privileges.sql',
    'functions/stored_bytes.sql',
  ];
  readonly objects = [
    'function gate.purge_contact_merges',
    'function public.limit_lock_waits',
    'function public.surviving_contact',
    'table public.contact_merges',
  ];
}
