import { SqlMigration } from './sql-migration.js';

/** Lets organizations take turns with the ticks of their schedules. */
export class ScheduleTurns1764000073000 extends SqlMigration {
  readonly name = 'ScheduleTurns1764000073000';
  readonly files = ['functions/claim_schedules.sql'];
  readonly objects = [];
}
