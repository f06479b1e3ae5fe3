import { SqlMigration } from './sql-migration.js';

/** Stores the calls for which agents need the approval of a signed-in person, and purges them. */
export class Confirmations1764000016000 extends SqlMigration {
  readonly name = 'Confirmations1764000016000';
  readonly files = [
    'tables/confirmations.sql',
    'functions/purge_confirmations.sql',
    'functions/tenant_privileges.sql',
  ];
  readonly objects = ['function gate.purge_confirmations', 'table public.confirmations'];
}
