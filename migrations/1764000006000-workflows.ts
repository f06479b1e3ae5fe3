import { SqlMigration } from './sql-migration.js';

/** Creates workflows and the versions of their definitions. */
export class Workflows1764000006000 extends SqlMigration {
  readonly name = 'Workflows1764000006000';
  readonly files = ['tables/workflows.sql', 'tables/workflow_versions.sql'];
  readonly objects = ['table public.workflow_versions', 'table public.workflows'];
}
