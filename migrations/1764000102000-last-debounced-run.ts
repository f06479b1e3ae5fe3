import { SqlMigration } from './sql-migration.js';

/** Executes no earlier debounced run while another transaction has locked the last run. */
export class LastDebouncedRun1764000102000 extends SqlMigration {
  readonly name = 'LastDebouncedRun1764000102000';
  readonly files = ['functions/pass_debounce.sql'];
  readonly objects = [];
}
