import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Workflows, the versions of their definitions, their runs, and the journal of what each run did. */
export class Workflows1763700006000 implements MigrationInterface {
  readonly name = 'Workflows1763700006000';

  async up(runner: QueryRunner): Promise<void> {
    await this.createWorkflows(runner);
    await this.createRuns(runner);
    await runner.query(`
      create function gate.find_webhook(webhook_workflow_id text) returns table (organization_id text, secret bytea)
      language sql stable security definer set search_path = pg_catalog, pg_temp as $$
        select w.organization_id, w.secret from public.workflows w
        where w.id = webhook_workflow_id and w.active and w.deleted_at is null and w.trigger_type = 'webhook'
        limit 1
      $$`);
    await this.createLeases(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function gate.release_runs(text[], integer[])`);
    await runner.query(`drop function gate.renew_runs(text[], integer[], integer)`);
    await runner.query(`drop function gate.claim_runs(integer, text, integer)`);
    await runner.query(`drop function gate.find_webhook(text)`);
    await runner.query(`drop table public.run_steps`);
    await runner.query(`drop table public.workflow_runs`);
    await runner.query(`drop table public.workflow_versions`);
    await runner.query(`drop table public.workflows`);
  }

  private async createWorkflows(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table public.workflows (
        organization_id text collate "C" not null
          constraint workflows_organization_id_fkey references public.organizations (id) on delete cascade,
        id text collate "C" not null,
        name text not null,
        active boolean not null,
        version integer not null,
        trigger_type text not null,
        secret bytea,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        deleted_at timestamptz,
        constraint workflows_pkey primary key (organization_id, id)
      )`);
    // A webhook names the workflow before its organization is known.
    await runner.query(`create index workflows_id_idx on public.workflows (id)`);
    await runner.query(`select private.isolate('public.workflows')`);

    await runner.query(`
      create table public.workflow_versions (
        organization_id text collate "C" not null
          constraint workflow_versions_organization_id_fkey references public.organizations (id) on delete cascade,
        workflow_id text collate "C" not null,
        version integer not null,
        steps json not null,
        created_at timestamptz not null default now(),
        constraint workflow_versions_pkey primary key (organization_id, workflow_id, version),
        constraint workflow_versions_workflow_id_fkey foreign key (organization_id, workflow_id)
          references public.workflows (organization_id, id) on delete cascade
      )`);
    await runner.query(`select private.isolate('public.workflow_versions')`);
  }

  private async createRuns(runner: QueryRunner): Promise<void> {
    // payload is what the sender sent, byte for byte: jsonb refuses valid JSON (\u0000, lone surrogates, 1e131073).
    // available_at is when a worker may take the run: its wake time, or, while it runs, the end of its lease.
    await runner.query(`
      create table public.workflow_runs (
        organization_id text collate "C" not null
          constraint workflow_runs_organization_id_fkey references public.organizations (id) on delete cascade,
        id text collate "C" not null,
        workflow_id text collate "C" not null,
        workflow_version integer not null,
        status text not null default 'queued',
        reason text,
        trigger_type text not null,
        payload bytea not null,
        contact_id text collate "C",
        dedupe_key text collate "C",
        body_hash bytea,
        depth integer not null default 0,
        epoch integer not null default 0,
        crashes integer not null default 0,
        available_at timestamptz not null default now(),
        created_at timestamptz not null default now(),
        started_at timestamptz,
        finished_at timestamptz,
        constraint workflow_runs_pkey primary key (organization_id, id),
        constraint workflow_runs_dedupe_key unique (organization_id, workflow_id, dedupe_key),
        constraint workflow_runs_version_fkey foreign key (organization_id, workflow_id, workflow_version)
          references public.workflow_versions (organization_id, workflow_id, version) on delete cascade,
        constraint workflow_runs_contact_id_fkey foreign key (organization_id, contact_id)
          references public.contacts (organization_id, id) on delete set null (contact_id),
        constraint workflow_runs_status_check
          check (status in ('queued', 'running', 'waiting', 'succeeded', 'failed', 'canceled'))
      )`);
    await runner.query(`
      create index workflow_runs_due_idx on public.workflow_runs (available_at)
        where status in ('queued', 'running', 'waiting')`);
    // A hint names a run before its organization is known.
    await runner.query(`create index workflow_runs_id_idx on public.workflow_runs (id)`);
    await runner.query(`
      create index workflow_runs_newest_idx on public.workflow_runs (organization_id, created_at, id)`);
    await runner.query(`
      create index workflow_runs_contact_idx on public.workflow_runs (organization_id, contact_id)`);
    await runner.query(`select private.isolate('public.workflow_runs')`);

    await runner.query(`
      create table public.run_steps (
        organization_id text collate "C" not null
          constraint run_steps_organization_id_fkey references public.organizations (id) on delete cascade,
        run_id text collate "C" not null,
        step_id text collate "C" not null,
        position integer not null,
        tool text,
        status text not null,
        attempts integer not null,
        input json,
        output json,
        error json,
        wake_at timestamptz,
        started_at timestamptz not null,
        finished_at timestamptz,
        constraint run_steps_pkey primary key (organization_id, run_id, step_id),
        constraint run_steps_run_id_fkey foreign key (organization_id, run_id)
          references public.workflow_runs (organization_id, id) on delete cascade,
        constraint run_steps_status_check
          check (status in ('running', 'waiting', 'succeeded', 'failed', 'skipped'))
      )`);
    await runner.query(`select private.isolate('public.run_steps')`);
  }

  private async createLeases(runner: QueryRunner): Promise<void> {
    // A run that is still "running" when it can be taken was left by a worker that died: that is a crash, and the
    // third one without progress in between parks the run, so that it cannot take down worker after worker.
    await runner.query(`
      create function gate.claim_runs(most integer, only_id text, lease_seconds integer)
      returns table (id text, organization_id text, epoch integer)
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
      #variable_conflict use_column
      declare
        picked text[];
      begin
        if only_id is null then
          picked := array(
            select r.id from public.workflow_runs r
            where r.status in ('queued', 'running', 'waiting') and r.available_at <= now()
            order by r.available_at limit most for update skip locked);
        else
          picked := array(
            select r.id from public.workflow_runs r
            where r.id = only_id and r.status in ('queued', 'running', 'waiting') and r.available_at <= now()
            for update skip locked);
        end if;
        return query
          with taken as (
            update public.workflow_runs r set
              epoch = r.epoch + 1,
              crashes = r.crashes + (r.status = 'running')::integer,
              status = case when r.status = 'running' and r.crashes >= 2 then 'failed' else 'running' end,
              reason = case when r.status = 'running' and r.crashes >= 2 then 'poison' end,
              finished_at = case when r.status = 'running' and r.crashes >= 2 then now() end,
              started_at = coalesce(r.started_at, now()),
              available_at = now() + make_interval(secs => lease_seconds)
            where r.id = any (picked)
            returning r.id, r.organization_id, r.epoch, r.status
          )
          select t.id, t.organization_id, t.epoch from taken t where t.status = 'running';
      end $$`);
    // A row that is locked is in the transaction of a step: nobody can claim it meanwhile, and that transaction
    // renews the lease itself. Waiting for it would let the leases of all other runs of this worker expire.
    await runner.query(`
      create function gate.renew_runs(ids text[], epochs integer[], lease_seconds integer)
      returns table (id text, organization_id text, epoch integer)
      language sql security definer set search_path = pg_catalog, pg_temp as $$
        with held as (
          select r.id, r.organization_id, r.epoch from unnest(ids, epochs) as c (id, epoch)
          join public.workflow_runs r on r.id = c.id and r.epoch = c.epoch and r.status = 'running'
        ), free as (
          select r.id from public.workflow_runs r
          join unnest(ids, epochs) as c (id, epoch) on r.id = c.id and r.epoch = c.epoch
          where r.status = 'running'
          for update of r skip locked
        ), renewed as (
          update public.workflow_runs r set available_at = now() + make_interval(secs => lease_seconds)
          from free where r.id = free.id
        )
        select held.id, held.organization_id, held.epoch from held
      $$`);
    // Handed over on purpose: queued again, so that the next claim does not count it as a crash.
    await runner.query(`
      create function gate.release_runs(ids text[], epochs integer[]) returns void
      language sql security definer set search_path = pg_catalog, pg_temp as $$
        with free as (
          select r.id from public.workflow_runs r
          join unnest(ids, epochs) as c (id, epoch) on r.id = c.id and r.epoch = c.epoch
          where r.status = 'running'
          for update of r skip locked
        )
        update public.workflow_runs r set status = 'queued', available_at = now()
        from free where r.id = free.id
      $$`);
  }
}
