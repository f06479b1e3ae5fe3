import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATUSES = `'scheduled', 'queued', 'sending', 'sent', 'failed', 'canceled'`;

/**
 * Messages that contacts have sent, and messages that are known to have been delivered. `messages` is read once to
 * check it; code that knows nothing of the new statuses shows them and otherwise leaves such messages alone.
 */
export class InboundMessages1763700053000 implements MigrationInterface {
  readonly name = 'InboundMessages1763700053000';

  async up(runner: QueryRunner): Promise<void> {
    // external_id is what a provider calls a message that came in: it tells of the same one again.
    await runner.query(`
      alter table public.messages
        add column external_id text collate "C",
        alter column recipient drop not null,
        drop constraint messages_status_check,
        add constraint messages_status_check check (status in (${STATUSES}, 'delivered', 'received'))`);
    await runner.query(`
      create unique index messages_external_id_key on public.messages (organization_id, channel, external_id)
        where external_id is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      update public.messages set status = 'sent', recipient = coalesce(recipient, '')
      where status in ('delivered', 'received')`);
    await runner.query(`
      alter table public.messages
        drop constraint messages_status_check,
        add constraint messages_status_check check (status in (${STATUSES})),
        alter column recipient set not null,
        drop column external_id`);
  }
}
