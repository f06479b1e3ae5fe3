import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/** The SQL condition for ids. The service makes only ids that satisfy it. */
const CONDITION = `id ~ '^[A-Za-z0-9_-]{1,100}$'`;

/**
 * Refuses ids of messages that are unsafe in a file name or in the header Message-ID. A file with such a name could be
 * outside of its folder, and the id could add another header. Deletes stored messages with such an id. Locks the table
 * while the check reads it.
 */
export class MessageIds1764000080100 extends SqlMigration {
  readonly name = 'MessageIds1764000080100';
  readonly files = [];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    await runner.query(`delete from public.messages where not (${CONDITION})`);
    await runner.query(
      `alter table public.messages add constraint messages_id_check check (${CONDITION})`,
    );
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    await runner.query('alter table public.messages drop constraint messages_id_check');
  }
}
