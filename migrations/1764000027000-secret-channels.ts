import { SqlMigration } from './sql-migration.js';

/** Sends notifications on a notification channel whose name is secret, so that SQL of a tool cannot use it. */
export class SecretChannels1764000027000 extends SqlMigration {
  readonly name = 'SecretChannels1764000027000';
  readonly files = ['functions/notify_run_change.sql'];
  readonly objects = [];
}
