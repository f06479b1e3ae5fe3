import { SqlMigration } from './sql-migration.js';

/**
 * Lets the admission of runs wait for a lock for at most a second. Few connections serve these calls, and other calls of
 * the gate wait for the same connections. The sweep tries the admission again.
 */
export class ShortAdmissions1764000124000 extends SqlMigration {
  readonly name = 'ShortAdmissions1764000124000';
  readonly files = ['functions/admit_runs.sql'];
  readonly objects = [];
}
