import { SqlMigration } from './sql-migration.js';

/**
 * Keeps the topics that a contact leaves while it is merged into another contact, also when the merge is undone. Records
 * STOP by SMS also when the quota of messages is used up. A sweep marks no wait that began again meanwhile.
 */
export class KeptWithdrawals1764000104000 extends SqlMigration {
  readonly name = 'KeptWithdrawals1764000104000';
  readonly files = [
    'functions/return_permission.sql',
    'functions/count_insert.sql',
    'functions/wake_runs.sql',
  ];
  readonly objects = [];
}
