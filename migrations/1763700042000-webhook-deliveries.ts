import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What came to webhooks and what it was answered, for their owners. The service keeps the newest few of each kind. */
export class WebhookDeliveries1763700042000 implements MigrationInterface {
  readonly name = 'WebhookDeliveries1763700042000';

  async up(runner: QueryRunner): Promise<void> {
    // Strangers cause rows here, so there is no body of what was refused, and nothing refers to a run that may go.
    await runner.query(`
      create table public.webhook_deliveries (
        organization_id text collate "C" not null
          constraint webhook_deliveries_organization_id_fkey references public.organizations (id) on delete cascade,
        id text collate "C" not null,
        workflow_id text collate "C" not null,
        kind text not null,
        received_at timestamptz not null,
        status integer not null,
        code text not null,
        run_id text collate "C",
        headers json not null,
        body_bytes integer,
        body_hash bytea,
        body bytea,
        mistakes json not null default '[]',
        constraint webhook_deliveries_pkey primary key (organization_id, id),
        constraint webhook_deliveries_workflow_id_fkey foreign key (organization_id, workflow_id)
          references public.workflows (organization_id, id) on delete cascade,
        constraint webhook_deliveries_kind_check check (kind in ('accepted', 'refused', 'test'))
      )`);
    await runner.query(`
      create index webhook_deliveries_newest_idx
      on public.webhook_deliveries (organization_id, workflow_id, kind, received_at, id)`);
    // Bookkeeping: no tool makes them.
    await runner.query(
      `select private.isolate('public.webhook_deliveries', 'organization_id', true)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table public.webhook_deliveries`);
  }
}
