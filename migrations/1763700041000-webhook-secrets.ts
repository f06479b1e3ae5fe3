import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets a webhook's secret be replaced with an overlap, and its owner say how strict it is. */
export class WebhookSecrets1763700041000 implements MigrationInterface {
  readonly name = 'WebhookSecrets1763700041000';

  async up(runner: QueryRunner): Promise<void> {
    // The previous secret stays after its time, so that a sender which still uses it can be told so.
    await runner.query(`
      alter table public.workflows
        add column previous_secret bytea,
        add column previous_secret_until timestamptz,
        add column webhook_options jsonb not null default '{}'`);
    // A new name beside find_webhook: processes of the release before go on using that one until they are replaced.
    await runner.query(`
      create function gate.open_webhook(webhook_workflow_id text)
      returns table (
        organization_id text, active boolean, secret bytea,
        previous_secret bytea, previous_is_valid boolean, options jsonb, condition text
      )
      language sql stable security definer set search_path = pg_catalog, pg_temp as $$
        select w.organization_id, w.active, w.secret, w.previous_secret,
          coalesce(w.previous_secret_until > now(), false), w.webhook_options, w.trigger_options->>'if'
        from public.workflows w
        where w.id = webhook_workflow_id and w.deleted_at is null and w.trigger_type = 'webhook'
        limit 1
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function gate.open_webhook(text)`);
    await runner.query(`
      alter table public.workflows
        drop column webhook_options, drop column previous_secret_until, drop column previous_secret`);
  }
}
