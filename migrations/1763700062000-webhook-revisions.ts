import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `gate.recall_webhook` tells, besides what `gate.open_webhook` does, which state of its row a workflow is in: `xmin`
 * (PostgreSQL, 5.6 System Columns) is another one after every change. The older function stays for processes from
 * before.
 */
export class WebhookRevisions1763700062000 implements MigrationInterface {
  readonly name = 'WebhookRevisions1763700062000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function gate.recall_webhook(webhook_workflow_id text)
      returns table (
        organization_id text, revision text, active boolean, secret bytea,
        previous_secret bytea, previous_is_valid boolean, options jsonb, condition text
      )
      language sql stable security definer set search_path = pg_catalog, pg_temp as $$
        select w.organization_id, w.xmin::text, w.active, w.secret, w.previous_secret,
          coalesce(w.previous_secret_until > now(), false), w.webhook_options, w.trigger_options->>'if'
        from public.workflows w
        where w.id = webhook_workflow_id and w.deleted_at is null and w.trigger_type = 'webhook'
        limit 1
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function gate.recall_webhook(text)`);
  }
}
