import { SqlMigration } from './sql-migration.js';

/**
 * Gives the restored contact of a merge each topic that the survivor has left, also if the survivor had left it before
 * the merge. Stores a decision that waits for the end of a merge for the restored contact.
 */
export class ReturnedDecisions1764000109000 extends SqlMigration {
  readonly name = 'ReturnedDecisions1764000109000';
  readonly files = ['functions/return_permission.sql', 'functions/surviving_contact.sql'];
  readonly objects = [];
}
