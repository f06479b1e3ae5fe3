import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `gate.look_up_webhook` tells, besides what `gate.recall_webhook` does, whether the runs of a workflow are under limits.
 * The older function stays for processes from before.
 */
export class WebhookLimits1763700066000 implements MigrationInterface {
  readonly name = 'WebhookLimits1763700066000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function gate.look_up_webhook(webhook_workflow_id text)
      returns table (
        organization_id text, revision text, active boolean, secret bytea, previous_secret bytea,
        previous_is_valid boolean, options jsonb, condition text, limited boolean
      )
      language sql stable security definer set search_path = pg_catalog, pg_temp as $$
        select w.organization_id, w.xmin::text, w.active, w.secret, w.previous_secret,
          coalesce(w.previous_secret_until > now(), false), w.webhook_options, w.trigger_options->>'if',
          w.trigger_options->'limits' is not null
        from public.workflows w
        where w.id = webhook_workflow_id and w.deleted_at is null and w.trigger_type = 'webhook'
        limit 1
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function gate.look_up_webhook(text)`);
  }
}
