import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What runs wait for besides a time: events, calls of resume URLs, and the ends of runs that they started. New tables,
 * and a trigger on `workflow_runs`, which is locked for a moment. Code that knows nothing of them goes on beside it;
 * events that happen in such processes reach no waiting run, so these are to be replaced before steps wait for events.
 */
export class RunWaits1763700052000 implements MigrationInterface {
  readonly name = 'RunWaits1763700052000';

  async up(runner: QueryRunner): Promise<void> {
    await this.createWaits(runner);
    await this.createEvents(runner);
    await this.createLeases(runner);
    // A run can end in a worker, by a call, or as `poison` in a claim: here none of them is forgotten. Whoever has the
    // waiting run locked looks at its waits before it parks the run, so nothing has to wait for that lock here.
    await runner.query(`
      create function private.end_child_run() returns trigger
      language plpgsql set search_path = pg_catalog, pg_temp as $$
      declare
        parents text[];
      begin
        with ended as (
          update public.run_waits w set state = 'delivered'
          where w.organization_id = new.organization_id and w.child_run_id = new.id and w.state = 'armed'
          returning w.run_id
        )
        select array_agg(ended.run_id) into parents from ended;
        if parents is not null then
          update public.workflow_runs r set available_at = now()
          where r.organization_id = new.organization_id and r.id in (
            select p.id from public.workflow_runs p
            where p.organization_id = new.organization_id and p.id = any (parents) and p.status = 'waiting'
            for no key update skip locked);
        end if;
        return null;
      end $$`);
    // Only runs that another one has started can be waited for.
    await runner.query(`
      create trigger workflow_runs_child_ended after update of status on public.workflow_runs for each row
      when (new.depth > 0 and new.status in ('succeeded', 'failed', 'canceled') and new.status <> old.status)
      execute function private.end_child_run()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop trigger workflow_runs_child_ended on public.workflow_runs`);
    await runner.query(`drop function private.end_child_run()`);
    await runner.query(`drop function gate.release_events(text[], integer[])`);
    await runner.query(`drop function gate.renew_events(text[], integer[], integer)`);
    await runner.query(`drop function gate.claim_events(integer, text, integer)`);
    await runner.query(`drop table public.pending_events`);
    await runner.query(`drop table public.event_interests`);
    await runner.query(`drop table public.run_waits`);
  }

  private async createWaits(runner: QueryRunner): Promise<void> {
    // One row for each step that waits, and for each resume URL that was called, also before its step is reached: the
    // key is what makes a call and a step that begins at the same moment see each other. contact_id is '' for any
    // contact, so that one index answers for both; it refers to nothing, for a wait must not widen to every contact
    // when its own is deleted. armed_xid and armed_snapshot say which transactions had ended when the wait began.
    await runner.query(`
      create table public.run_waits (
        organization_id text collate "C" not null
          constraint run_waits_organization_id_fkey references public.organizations (id) on delete cascade,
        run_id text collate "C" not null,
        step_id text collate "C" not null,
        event text collate "C" not null,
        state text not null,
        contact_id text collate "C" not null default '',
        condition text,
        bindings json,
        child_run_id text collate "C",
        payload json,
        error text,
        armed_at timestamptz,
        armed_xid text,
        armed_snapshot text,
        constraint run_waits_pkey primary key (organization_id, run_id, step_id),
        constraint run_waits_run_id_fkey foreign key (organization_id, run_id)
          references public.workflow_runs (organization_id, id) on delete cascade,
        constraint run_waits_state_check check (state in ('armed', 'delivered', 'consumed', 'closed'))
      )`);
    await runner.query(`
      create index run_waits_armed_idx on public.run_waits (organization_id, event, contact_id, run_id, step_id)
        where state = 'armed'`);
    await runner.query(`
      create index run_waits_child_idx on public.run_waits (organization_id, child_run_id)
        where child_run_id is not null`);
    // Bookkeeping: the steps of the run tell what it waits for.
    await runner.query(`select private.isolate('public.run_waits', 'organization_id', true)`);
  }

  private async createEvents(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table public.event_interests (
        organization_id text collate "C" not null
          constraint event_interests_organization_id_fkey references public.organizations (id) on delete cascade,
        event text collate "C" not null,
        workflow_id text collate "C" not null,
        constraint event_interests_pkey primary key (organization_id, event, workflow_id),
        constraint event_interests_workflow_id_fkey foreign key (organization_id, workflow_id)
          references public.workflows (organization_id, id) on delete cascade
      )`);
    await runner.query(`select private.isolate('public.event_interests', 'organization_id', true)`);
    await runner.query(`
      create table public.pending_events (
        organization_id text collate "C" not null
          constraint pending_events_organization_id_fkey references public.organizations (id) on delete cascade,
        id text collate "C" not null,
        name text collate "C" not null,
        contact_id text collate "C",
        payload json not null,
        xid text not null,
        happened_at timestamptz not null,
        after_run_id text collate "C" not null default '',
        after_step_id text collate "C" not null default '',
        available_at timestamptz not null default now(),
        epoch integer not null default 0,
        constraint pending_events_pkey primary key (organization_id, id)
      )`);
    await runner.query(
      `create index pending_events_due_idx on public.pending_events (available_at)`,
    );
    // A hint names an event before its organization is known.
    await runner.query(`create index pending_events_id_idx on public.pending_events (id)`);
    await runner.query(`select private.isolate('public.pending_events', 'organization_id', true)`);
  }

  private async createLeases(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function gate.claim_events(most integer, only_id text, lease_seconds integer)
      returns table (id text, organization_id text, epoch integer)
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
      #variable_conflict use_column
      declare
        picked text[];
      begin
        if only_id is null then
          picked := array(
            select e.id from public.pending_events e where e.available_at <= now()
            order by e.available_at limit most for update skip locked);
        else
          picked := array(
            select e.id from public.pending_events e where e.id = only_id and e.available_at <= now()
            for update skip locked);
        end if;
        return query
          update public.pending_events e set
            epoch = e.epoch + 1, available_at = now() + make_interval(secs => lease_seconds)
          where e.id = any (picked)
          returning e.id, e.organization_id, e.epoch;
      end $$`);
    // As with runs, a row that is locked is in a transaction that renews the lease or ends it.
    await runner.query(`
      create function gate.renew_events(ids text[], epochs integer[], lease_seconds integer)
      returns table (id text, organization_id text, epoch integer)
      language sql security definer set search_path = pg_catalog, pg_temp as $$
        with held as (
          select e.id, e.organization_id, e.epoch from unnest(ids, epochs) as c (id, epoch)
          join public.pending_events e on e.id = c.id and e.epoch = c.epoch
        ), free as (
          select e.organization_id, e.id from public.pending_events e
          join unnest(ids, epochs) as c (id, epoch) on e.id = c.id and e.epoch = c.epoch
          for update of e skip locked
        ), renewed as (
          update public.pending_events e set available_at = now() + make_interval(secs => lease_seconds)
          from free where e.organization_id = free.organization_id and e.id = free.id
        )
        select held.id, held.organization_id, held.epoch from held
      $$`);
    await runner.query(`
      create function gate.release_events(ids text[], epochs integer[]) returns void
      language sql security definer set search_path = pg_catalog, pg_temp as $$
        with free as (
          select e.organization_id, e.id from public.pending_events e
          join unnest(ids, epochs) as c (id, epoch) on e.id = c.id and e.epoch = c.epoch
          for update of e skip locked
        )
        update public.pending_events e set available_at = now()
        from free where e.organization_id = free.organization_id and e.id = free.id
      $$`);
  }
}
