import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When each active workflow with a schedule starts next, and the claims of workers on these times. A new table only. */
export class WorkflowSchedules1763700034000 implements MigrationInterface {
  readonly name = 'WorkflowSchedules1763700034000';

  async up(runner: QueryRunner): Promise<void> {
    // available_at is when a worker may take the tick: its time, or the end of the lease of a worker that has it.
    await runner.query(`
      create table public.workflow_schedules (
        organization_id text collate "C" not null
          constraint workflow_schedules_organization_id_fkey references public.organizations (id) on delete cascade,
        workflow_id text collate "C" not null,
        next_tick_at timestamptz not null,
        available_at timestamptz not null,
        epoch integer not null default 0,
        constraint workflow_schedules_pkey primary key (organization_id, workflow_id),
        constraint workflow_schedules_workflow_id_fkey foreign key (organization_id, workflow_id)
          references public.workflows (organization_id, id) on delete cascade
      )`);
    await runner.query(
      `create index workflow_schedules_due_idx on public.workflow_schedules (available_at)`,
    );
    await runner.query(`select private.isolate('public.workflow_schedules')`);

    await runner.query(`
      create function gate.claim_schedules(most integer, only_id text, lease_seconds integer)
      returns table (id text, organization_id text, epoch integer)
      language sql security definer set search_path = pg_catalog, pg_temp as $$
        with due as materialized (
          select s.organization_id, s.workflow_id from public.workflow_schedules s
          where s.available_at <= now() and (only_id is null or s.workflow_id = only_id)
          order by s.available_at limit most for update skip locked
        )
        update public.workflow_schedules s set
          epoch = s.epoch + 1, available_at = now() + make_interval(secs => lease_seconds)
        from due where s.organization_id = due.organization_id and s.workflow_id = due.workflow_id
        returning s.workflow_id, s.organization_id, s.epoch
      $$`);
    // As with runs, a row that is locked is in a transaction that is about to end its claim.
    await runner.query(`
      create function gate.renew_schedules(ids text[], epochs integer[], lease_seconds integer)
      returns table (id text, organization_id text, epoch integer)
      language sql security definer set search_path = pg_catalog, pg_temp as $$
        with held as (
          select s.organization_id, s.workflow_id, s.epoch from unnest(ids, epochs) as c (id, epoch)
          join public.workflow_schedules s on s.workflow_id = c.id and s.epoch = c.epoch
        ), free as (
          select s.organization_id, s.workflow_id from public.workflow_schedules s
          join unnest(ids, epochs) as c (id, epoch) on s.workflow_id = c.id and s.epoch = c.epoch
          for update of s skip locked
        ), renewed as (
          update public.workflow_schedules s set available_at = now() + make_interval(secs => lease_seconds)
          from free where s.organization_id = free.organization_id and s.workflow_id = free.workflow_id
        )
        select held.workflow_id, held.organization_id, held.epoch from held
      $$`);
    await runner.query(`
      create function gate.release_schedules(ids text[], epochs integer[]) returns void
      language sql security definer set search_path = pg_catalog, pg_temp as $$
        with free as (
          select s.organization_id, s.workflow_id from public.workflow_schedules s
          join unnest(ids, epochs) as c (id, epoch) on s.workflow_id = c.id and s.epoch = c.epoch
          for update of s skip locked
        )
        update public.workflow_schedules s set available_at = s.next_tick_at
        from free where s.organization_id = free.organization_id and s.workflow_id = free.workflow_id
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function gate.release_schedules(text[], integer[])`);
    await runner.query(`drop function gate.renew_schedules(text[], integer[], integer)`);
    await runner.query(`drop function gate.claim_schedules(integer, text, integer)`);
    await runner.query(`drop table public.workflow_schedules`);
    // Nothing could start them any more, and the older code does not know their type.
    await runner.query(
      `update public.workflows set active = false, trigger_type = 'manual' where trigger_type = 'schedule'`,
    );
  }
}
