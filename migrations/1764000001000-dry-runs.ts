import { SqlMigration } from './sql-migration.js';

/**
 * Creates the trigger through which dry runs report changes. `private.isolate()` attaches it to the tables of all later
 * migrations.
 */
export class DryRuns1764000001000 extends SqlMigration {
  readonly name = 'DryRuns1764000001000';
  readonly files = ['functions/record_effect.sql', 'functions/report_effects_of.sql'];
  readonly objects = ['function private.report_effects_of', 'function private.record_effect'];
}
