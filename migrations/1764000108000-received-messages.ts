import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Lets only messages that were received be inbound, and counts all other messages. Before, SQL of a tool could queue
 * text messages that were called inbound, and workers sent them beyond the quota of messages.
 *
 * Only SQL of a tool can have stored such rows. They become outbound. Locks the messages while the check reads them.
 */
export class ReceivedMessages1764000108000 extends SqlMigration {
  readonly name = 'ReceivedMessages1764000108000';
  readonly files = ['functions/count_insert.sql'];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    await runner.query(
      `update public.messages set direction = case status when 'received' then 'inbound' else 'outbound' end
       where (direction = 'inbound') <> (status = 'received')`,
    );
    await runner.query(
      `alter table public.messages add constraint messages_direction_check
         check ((direction = 'inbound') = (status = 'received'))`,
    );
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    await runner.query('alter table public.messages drop constraint messages_direction_check');
  }
}
