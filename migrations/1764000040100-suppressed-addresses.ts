import { SqlMigration } from './sql-migration.js';

/** Stores suppressed addresses, which get no messages. */
export class SuppressedAddresses1764000040100 extends SqlMigration {
  readonly name = 'SuppressedAddresses1764000040100';
  readonly files = ['tables/suppressed_addresses.sql', 'functions/tenant_privileges.sql'];
  readonly objects = ['table public.suppressed_addresses'];
}
