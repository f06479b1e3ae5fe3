import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Runs whose worker died are claimed before those that wait for their first one: behind a long queue, a run that has
 * begun would otherwise stand still for as long as the queue takes. Each dies with at most three workers, so they
 * cannot keep the others waiting for good.
 */
export class TakenOverRunsFirst1763700050000 implements MigrationInterface {
  readonly name = 'TakenOverRunsFirst1763700050000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create index workflow_runs_lease_idx on public.workflow_runs (available_at) where status = 'running'`);
    await runner.query(`
      create or replace function gate.claim_runs(most integer, only_id text, lease_seconds integer)
      returns table (id text, organization_id text, epoch integer)
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
      #variable_conflict use_column
      declare
        picked text[];
      begin
        if only_id is null then
          picked := array(
            select r.id from public.workflow_runs r
            where r.status = 'running' and r.available_at <= now()
            order by r.available_at limit most for update skip locked);
          if cardinality(picked) < most then
            picked := picked || array(
              select r.id from public.workflow_runs r
              where r.status in ('queued', 'running', 'waiting') and r.status <> 'running' and r.available_at <= now()
              order by r.available_at limit most - cardinality(picked) for update skip locked);
          end if;
        else
          picked := array(
            select r.id from public.workflow_runs r
            where r.id = only_id and r.status in ('queued', 'running', 'waiting') and r.available_at <= now()
            for update skip locked);
        end if;
        ${CLAIM}
      end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create or replace function gate.claim_runs(most integer, only_id text, lease_seconds integer)
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
        ${CLAIM}
      end $$`);
    await runner.query(`drop index public.workflow_runs_lease_idx`);
  }
}

/** Takes what was picked, as before. */
const CLAIM = `
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
          select t.id, t.organization_id, t.epoch from taken t where t.status = 'running';`;
