import { SqlMigration } from './sql-migration.js';

/** Creates the table of the results of calls with an idempotency key, and the function that purges this table. */
export class Idempotency1764000003000 extends SqlMigration {
  readonly name = 'Idempotency1764000003000';
  readonly files = ['tables/idempotency_keys.sql', 'functions/purge_idempotency_keys.sql'];
  readonly objects = ['function gate.purge_idempotency_keys', 'table public.idempotency_keys'];
}
