import { SqlMigration } from './sql-migration.js';

/**
 * When a merge is undone, unsubscribes the restored contact from each topic from which the survivor is unsubscribed, even
 * since before the merge. Stores a decision of the restored contact that waits for this end of the merge.
 */
export class ReturnedDecisions1764000109000 extends SqlMigration {
  readonly name = 'ReturnedDecisions1764000109000';
  readonly files = ['functions/return_permission.sql', 'functions/surviving_contact.sql'];
  readonly objects = [];
}
