import { SqlMigration } from './sql-migration.js';

/** Lets organizations take turns with their imports. */
export class ImportTurns1764000062000 extends SqlMigration {
  readonly name = 'ImportTurns1764000062000';
  readonly files = ['functions/claim_imports.sql'];
  readonly objects = [];
}
