import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Adds the index by which a wait that is over finds events that happened before its timeout and are not delivered yet.
 * Locks stored events against writers while it builds the index. Texts of more than 200 bytes, which only SQL of a tool
 * can store, are left out, because PostgreSQL refuses index entries of more than 2,704 bytes.
 */
export class LateEvents1764000091000 extends SqlMigration {
  readonly name = 'LateEvents1764000091000';
  readonly files = [];
  readonly objects = ['index public.pending_events_awaited_idx'];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    await runner.query(`create index pending_events_awaited_idx
      on public.pending_events (organization_id, name, contact_id, happened_at)
      where octet_length(name) <= 200 and coalesce(octet_length(contact_id), 0) <= 200`);
  }
}
