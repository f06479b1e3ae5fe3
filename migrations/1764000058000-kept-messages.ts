import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/** Keeps SQL of a tool from changing the text of ended messages and from sending them again. Locks messages briefly. */
export class KeptMessages1764000058000 extends SqlMigration {
  readonly name = 'KeptMessages1764000058000';
  readonly files = ['functions/keep_message.sql'];
  readonly objects = [
    'trigger keep_end on public.messages',
    'trigger keep_text on public.messages',
    'function private.keep_message',
  ];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    await runner.query(`create trigger keep_text before update of subject, body, html on public.messages
      for each row when (old.status <> 'held' or old.reason_code is distinct from 'digest')
      execute function private.keep_message()`);
    await runner.query(`create trigger keep_end before update of status on public.messages
      for each row when (
        old.status in ('sent', 'delivered', 'failed', 'canceled', 'suppressed', 'received')
        and new.status in ('scheduled', 'queued', 'held', 'sending'))
      execute function private.keep_message()`);
  }
}
