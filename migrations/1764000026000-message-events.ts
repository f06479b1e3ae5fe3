import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Stores the states of each message, with their times and reasons. For existing messages, only later
 * states are stored.
 * Locks messages against writers while it builds the index of undelivered messages.
 */
export class MessageEvents1764000026000 extends SqlMigration {
  readonly name = 'MessageEvents1764000026000';
  readonly files = [
    'functions/record_message_event.sql',
    'tables/message_events.sql',
    'functions/tenant_privileges.sql',
  ];
  readonly objects = [
    'index public.messages_undelivered_idx',
    'trigger record_new_message on public.messages',
    'trigger record_changed_message on public.messages',
    'table public.message_events',
    'function private.record_message_event',
  ];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    await runner.query(`create trigger record_new_message after insert on public.messages
      for each row execute function private.record_message_event()`);
    await runner.query(`create trigger record_changed_message after update on public.messages
      for each row when (old.status <> new.status) execute function private.record_message_event()`);
    // Few messages are undelivered. Without this index, a search for them would read all messages.
    await runner.query(`create index messages_undelivered_idx
      on public.messages (organization_id, status, created_at, id) where status in ('failed', 'canceled', 'suppressed')`);
  }
}
