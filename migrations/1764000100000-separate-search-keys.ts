import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Gives each organization separate keys in the index for text searches. So a search reads no index entries of other
 * organizations, and SQL of a tool cannot count them. Locks the contacts while the index is built again, which took 3 s
 * for 75,000 contacts. Also lets only runs that change their status notify other processes.
 */
export class SeparateSearchKeys1764000100000 extends SqlMigration {
  readonly name = 'SeparateSearchKeys1764000100000';
  readonly files = ['functions/contact_search_keys.sql'];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    await runner.query('reindex index public.contacts_search_text_idx');
    await runner.query('drop trigger workflow_runs_notify_change on public.workflow_runs');
    await runner.query(`create trigger workflow_runs_notify_change after update of status on public.workflow_runs
      for each row when (old.status <> new.status and (new.status = 'failed' and new.reason = 'poison'
        or new.status = 'canceled' and new.reason in ('debounced', 'parent_ended')))
      execute function private.notify_run_change()`);
  }
}
