import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Triggers with options: events and conditions. `workflows` is locked for a moment, no row is rewritten; code that
 * knows nothing of the new columns goes on beside it, and then the conditions of webhooks are not heeded.
 */
export class EventTriggers1763700033000 implements MigrationInterface {
  readonly name = 'EventTriggers1763700033000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table public.workflows
        add column trigger_options json not null default '{}',
        add column trigger_event text collate "C"`);
    // Asked with every change of a contact, so the index holds only what an event could start.
    await runner.query(`
      create index workflows_event_idx on public.workflows (organization_id, trigger_event)
        where trigger_event is not null and active and deleted_at is null`);
    await runner.query(`drop function gate.find_webhook(text)`);
    await runner.query(`
      create function gate.find_webhook(webhook_workflow_id text)
      returns table (organization_id text, secret bytea, condition text)
      language sql stable security definer set search_path = pg_catalog, pg_temp as $$
        select w.organization_id, w.secret, w.trigger_options->>'if' from public.workflows w
        where w.id = webhook_workflow_id and w.active and w.deleted_at is null and w.trigger_type = 'webhook'
        limit 1
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function gate.find_webhook(text)`);
    await runner.query(`
      create function gate.find_webhook(webhook_workflow_id text) returns table (organization_id text, secret bytea)
      language sql stable security definer set search_path = pg_catalog, pg_temp as $$
        select w.organization_id, w.secret from public.workflows w
        where w.id = webhook_workflow_id and w.active and w.deleted_at is null and w.trigger_type = 'webhook'
        limit 1
      $$`);
    // Nothing could start them any more, and the older code does not know their type.
    await runner.query(
      `update public.workflows set active = false, trigger_type = 'manual' where trigger_type = 'event'`,
    );
    await runner.query(`
      alter table public.workflows drop column trigger_event, drop column trigger_options`);
  }
}
