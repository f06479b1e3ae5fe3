import { SqlMigration } from './sql-migration.js';

/** Limits the number of names that a transaction can lock, so that SQL of a tool cannot fill the lock table. */
export class CountedLocks1764000116000 extends SqlMigration {
  readonly name = 'CountedLocks1764000116000';
  readonly files = ['functions/lock_name.sql', 'functions/pace_message.sql'];
  readonly objects = [];
}
