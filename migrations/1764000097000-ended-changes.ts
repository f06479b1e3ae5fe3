import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Keeps SQL of a tool from making an ended message uncertain, because it could then send the message again, and from
 * restoring deleted workflows, because they would not count for the quota. Locks both tables briefly.
 */
export class EndedChanges1764000097000 extends SqlMigration {
  readonly name = 'EndedChanges1764000097000';
  readonly files = ['functions/keep_deleted_workflow.sql'];
  readonly objects = [
    'trigger keep_deleted on public.workflows',
    'function private.keep_deleted_workflow',
  ];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    await runner.query('drop trigger keep_end on public.messages');
    await runner.query(`create trigger keep_end before update of status on public.messages
      for each row when (
        old.status in ('sent', 'delivered', 'failed', 'canceled', 'suppressed', 'received')
        and new.status in ('scheduled', 'queued', 'held', 'sending', 'uncertain'))
      execute function private.keep_message()`);
    await runner.query(`create trigger keep_deleted before update of deleted_at on public.workflows
      for each row when (old.deleted_at is not null and new.deleted_at is null)
      execute function private.keep_deleted_workflow()`);
  }
}
