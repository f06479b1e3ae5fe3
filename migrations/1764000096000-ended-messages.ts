import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * The retention time of a message now begins at its last change. Messages that still count for a cap, and messages with
 * an unknown outcome, are not deleted. The new index finds the oldest ended messages. Locks the table of messages while
 * the index is built. The lock lasts about a second for each million messages.
 */
export class EndedMessages1764000096000 extends SqlMigration {
  readonly name = 'EndedMessages1764000096000';
  readonly files = ['functions/purge.sql'];
  readonly objects = ['index public.messages_ended_idx'];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    await runner.query(
      `create index messages_ended_idx on public.messages (organization_id, num_nonnulls(counted_at), updated_at)
       where status not in ('scheduled', 'queued', 'held', 'sending', 'uncertain')`,
    );
  }
}
