import { SqlMigration } from './sql-migration.js';

/** Counts a message of a transaction that began before midnight for the next day, when that day has begun to count. */
export class QuotaDays1764000090000 extends SqlMigration {
  readonly name = 'QuotaDays1764000090000';
  readonly files = ['functions/grant_quota.sql'];
  readonly objects = [];
}
