import { SqlMigration } from './sql-migration.js';

/**
 * Lets only the service record merges of contacts and delete messages. SQL of a tool can no longer make these changes.
 */
export class SignedWrites1764000056000 extends SqlMigration {
  readonly name = 'SignedWrites1764000056000';
  readonly files = [
    'functions/record_contact_merge.sql',
    'functions/delete_contact_messages.sql',
    'functions/tenant_privileges.sql',
  ];
  readonly objects = [
    'function public.delete_contact_messages',
    'function public.record_contact_merge',
  ];
}
