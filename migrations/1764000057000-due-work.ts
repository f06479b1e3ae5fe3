import { SqlMigration } from './sql-migration.js';

/** Creates the function that tells workers in one round trip which kinds of work may be due. */
export class DueWork1764000057000 extends SqlMigration {
  readonly name = 'DueWork1764000057000';
  readonly files = ['functions/find_due_work.sql'];
  readonly objects = ['function gate.find_due_work'];
}
