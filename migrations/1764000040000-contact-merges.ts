import { SqlMigration } from './sql-migration.js';

/** Stores which contacts were merged, and lets their ids find the survivors. */
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
