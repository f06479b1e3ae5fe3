import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Claims that take turns between organizations. Runs that are queued and runs that time brings back are told apart:
 * each claim looks at the first queued run of a few organizations, however many there are of either kind.
 *
 * The two indexes are built while the table cannot be written: about a second for a million runs that have not ended.
 */
export class FairClaims1763700055000 implements MigrationInterface {
  readonly name = 'FairClaims1763700055000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index public.workflow_runs_due_idx`);
    await runner.query(`
      create index workflow_runs_due_idx on public.workflow_runs (organization_id, available_at)
        where status = 'queued'`);
    await runner.query(`
      create index workflow_runs_wake_idx on public.workflow_runs (available_at) where status = 'waiting'`);
    await createWakes(runner);
    await createTurns(runner, 'true');
    await createClaims(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function gate.wake_runs(integer)`);
    await runner.query(`drop function gate.claim_runs(integer, text, integer)`);
    await runner.query(`drop function gate.claim_runs(integer, text, integer, jsonb)`);
    await runner.query(`drop function private.next_runs(integer, jsonb, text[])`);
    await runner.query(`drop function private.wake_runs(integer)`);
    await runner.query(`drop index public.workflow_runs_wake_idx`);
    await runner.query(`drop index public.workflow_runs_due_idx`);
    await runner.query(`
      create index workflow_runs_due_idx on public.workflow_runs (available_at)
        where status in ('queued', 'running', 'waiting')`);
    await this.createEarlierClaims(runner);
  }

  private async createEarlierClaims(runner: QueryRunner): Promise<void> {
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
  }
}

/** Puts into the queue what time brings back: waits that are over, and runs whose workers died. */
export async function createWakes(runner: QueryRunner): Promise<void> {
  // A run that is still "running" when its lease has ended was left by a worker that died: that is a crash, and the
  // third one without progress in between parks the run, so that it cannot take down worker after worker. The others
  // go before all runs of their organization that nobody has begun.
  await runner.query(`
    create function private.wake_runs(most integer, out woken integer, out taken_over text[])
    language plpgsql set search_path = pg_catalog, pg_temp as $$
    begin
      with lost as materialized (
        select r.organization_id, r.id from public.workflow_runs r
        where r.status = 'running' and r.available_at <= now()
        order by r.available_at limit most for update skip locked
      ), taken as (
        update public.workflow_runs r set
          crashes = r.crashes + 1,
          status = case when r.crashes >= 2 then 'failed' else 'queued' end,
          reason = case when r.crashes >= 2 then 'poison' end,
          finished_at = case when r.crashes >= 2 then now() end,
          available_at = timestamptz 'epoch'
        from lost where r.organization_id = lost.organization_id and r.id = lost.id
        returning r.organization_id
      )
      select count(*), coalesce(array_agg(distinct t.organization_id), '{}') into woken, taken_over from taken t;
      with due as materialized (
        select r.organization_id, r.id from public.workflow_runs r
        where r.status = 'waiting' and r.available_at <= now()
        order by r.available_at limit most - woken for update skip locked
      ), begun as (
        update public.workflow_runs r set status = 'queued', reason = null
        from due where r.organization_id = due.organization_id and r.id = due.id
        returning r.id
      )
      select woken + count(*) into woken from begun;
    end $$`);
  // For the sweep, which goes on until nothing is left: a claim wakes a few only, so that it stays quick.
  await runner.query(`
    create function gate.wake_runs(most integer) returns table (woken integer)
    language sql security definer set search_path = pg_catalog, pg_temp as $$
      select w.woken from private.wake_runs(most) w
    $$`);
}

/**
 * Chooses and locks queued runs in equal shares: those of the organizations that are named, then of those after the one
 * that had its turn last. Of those for which `isFree` holds.
 */
export async function createTurns(runner: QueryRunner, isFree: string): Promise<void> {
  // share: {after, room, rooms}, the organization that had the last turn, how many runs any organization may get,
  // and how many those may that hold some of the caller's slots already.
  await runner.query(`
    create function private.next_runs(most integer, share jsonb, before_all text[]) returns text[]
    language plpgsql set search_path = pg_catalog, pg_temp as $$
    declare
      last_turn constant text collate "C" := coalesce(share ->> 'after', '');
      place text collate "C" := last_turn;
      unheeded text[] := before_all;
      wrapped boolean := false;
      organization text collate "C";
      due_at timestamptz;
      room integer;
      organizations text[] := '{}';
      rooms integer[] := '{}';
      picked text[] := '{}';
      found_ids text[];
      part integer;
    begin
      while cardinality(organizations) < most loop
        if cardinality(unheeded) > 0 then
          organization := unheeded[1];
          unheeded := unheeded[2:];
          due_at := now();
        else
          -- One descent of the index an organization: it goes from first entry to first entry.
          select r.organization_id, r.available_at into organization, due_at from public.workflow_runs r
          where r.status = 'queued' and ${isFree} and r.organization_id > place
          order by r.organization_id, r.available_at limit 1;
          if not found then
            exit when wrapped or last_turn = '';
            wrapped := true;
            place := '';
            continue;
          end if;
          exit when wrapped and organization > last_turn;
          place := organization;
          continue when organization = any (before_all);
        end if;
        room := coalesce((share -> 'rooms' ->> organization)::integer, (share ->> 'room')::integer, most);
        if due_at <= now() and room > 0 then
          organizations := organizations || organization;
          rooms := rooms || room;
        end if;
      end loop;
      -- Equal shares first; then what some of them had no runs for.
      for pass in 1..2 loop
        for turn in 1..cardinality(organizations) loop
          part := most - cardinality(picked);
          if pass = 1 then
            part := ceil(part::numeric / (cardinality(organizations) - turn + 1));
          end if;
          part := least(part, rooms[turn]);
          continue when part <= 0;
          found_ids := array(
            select r.id from public.workflow_runs r
            where r.status = 'queued' and ${isFree} and r.organization_id = organizations[turn] and r.available_at <= now()
              and r.id <> all (picked)
            order by r.available_at limit part for update skip locked);
          picked := picked || found_ids;
          rooms[turn] := case when cardinality(found_ids) < part then 0 else rooms[turn] - part end;
        end loop;
      end loop;
      return picked;
    end $$`);
}

export async function createClaims(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create function gate.claim_runs(most integer, only_id text, lease_seconds integer, share jsonb)
    returns table (id text, organization_id text, epoch integer)
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    #variable_conflict use_column
    declare
      picked text[];
      taken_over text[];
    begin
      if only_id is null then
        select w.taken_over into taken_over from private.wake_runs(20) w;
        picked := private.next_runs(most, share, taken_over);
      else
        picked := array(
          select r.id from public.workflow_runs r
          where r.id = only_id and r.status in ('queued', 'running', 'waiting') and r.available_at <= now()
            and coalesce((share -> 'rooms' ->> r.organization_id)::integer, 1) > 0
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
        select t.id, t.organization_id, t.epoch from taken t where t.status = 'running'
        order by array_position(picked, t.id);
    end $$`);
  // For processes of the version before, which do not tell of their turns.
  await runner.query(`
    create or replace function gate.claim_runs(most integer, only_id text, lease_seconds integer)
    returns table (id text, organization_id text, epoch integer)
    language sql security definer set search_path = pg_catalog, pg_temp as $$
      select * from gate.claim_runs(most, only_id, lease_seconds,
        jsonb_build_object('after', 'org_' || substr(md5(random()::text), 1, 4)))
    $$`);
}
