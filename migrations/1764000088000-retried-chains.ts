import { SqlMigration } from './sql-migration.js';

/**
 * Lets the tenant role change the place of a run in a chain of runs, because a run that a step retries follows from the
 * run of this step.
 */
export class RetriedChains1764000088000 extends SqlMigration {
  readonly name = 'RetriedChains1764000088000';
  readonly files = ['functions/tenant_privileges.sql'];
  readonly objects = [];
}
