import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createClaims, createTurns, createWakes } from './1763700055000-fair-claims.js';

/**
 * Limits of workflows. A run that may not go yet is queued behind one of four gates: `debounce`, `rate`, `key` and `slot`,
 * in this order. It is passed through them by `private.admit_runs`, by one process at a time for each workflow, and only
 * then can it be claimed; so no claim has to look at runs that may not go.
 *
 * A slot is taken when a run passes its last gate, and given back when it ends or waits; it is held by the run and not by
 * a worker, so a worker that dies takes none with it. Nothing is counted but rows, so nothing can be counted wrongly.
 */
export class RunLimits1763700055100 implements MigrationInterface {
  readonly name = 'RunLimits1763700055100';

  async up(runner: QueryRunner): Promise<void> {
    // limited: it was started under limits. gate_until: when its gate has to be looked at again, though nothing happens.
    // debounce_since: when the first of those came that it stands for. released_at: when it passed the rate limit.
    await runner.query(`
      alter table public.workflow_runs
        add limited boolean not null default false,
        add gate text,
        add gate_until timestamptz,
        add debounce_key text collate "C",
        add debounce_since timestamptz,
        add released_at timestamptz,
        add slot_key text collate "C",
        add constraint workflow_runs_gate_check check (gate in ('debounce', 'rate', 'key', 'slot'))`);
    await this.createIndexes(runner);
    await this.createGates(runner);
    await this.createAdmissions(runner);
    await this.createWakes(runner);
    await this.createClaims(runner);
    // Told of by the database, as runs that it parks: whoever waits for a run that was put off must learn it.
    await runner.query(`drop trigger workflow_runs_parked on public.workflow_runs`);
    await runner.query(`
      create trigger workflow_runs_parked after update of status on public.workflow_runs for each row
      when (new.status = 'failed' and new.reason = 'poison' or new.status = 'canceled' and new.reason = 'debounced')
      execute function private.tell_of_run()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    // Nothing could let them through any more.
    await runner.query(`
      update public.workflow_runs set reason = null where gate is not null and status = 'queued'`);
    await runner.query(`drop trigger workflow_runs_parked on public.workflow_runs`);
    await runner.query(`
      create trigger workflow_runs_parked after update of status on public.workflow_runs for each row
      when (new.status = 'failed' and new.reason = 'poison') execute function private.tell_of_run()`);
    await runner.query(`drop function gate.claim_runs(integer, text, integer)`);
    await runner.query(`drop function gate.claim_runs(integer, text, integer, jsonb)`);
    await runner.query(`drop function private.next_runs(integer, jsonb, text[])`);
    await runner.query(`drop function gate.sweep_run_limits()`);
    await runner.query(`drop function gate.admit_runs(text)`);
    await runner.query(`drop function gate.wake_runs(integer)`);
    await runner.query(`drop function private.wake_limited_runs(integer)`);
    await runner.query(`drop function private.wake_runs(integer)`);
    await runner.query(`drop function private.admit_runs(text, text, text, text[], boolean)`);
    await runner.query(`drop function private.pass_slots(text, text, json, text[])`);
    await runner.query(`drop function private.pass_rate(text, text, json)`);
    await runner.query(`drop function private.pass_debounce(text, text, json, text)`);
    await runner.query(`drop trigger workflow_runs_hold on public.workflow_runs`);
    await runner.query(`drop function private.hold_run()`);
    await runner.query(`drop index public.workflow_runs_due_idx`);
    await runner.query(`
      alter table public.workflow_runs drop limited, drop gate, drop gate_until, drop debounce_key, drop debounce_since,
        drop released_at, drop slot_key`);
    await runner.query(`
      create index workflow_runs_due_idx on public.workflow_runs (organization_id, available_at)
        where status = 'queued'`);
    await createWakes(runner);
    await createTurns(runner, 'true');
    await createClaims(runner);
  }

  private async createIndexes(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index public.workflow_runs_due_idx`);
    await runner.query(`
      create index workflow_runs_due_idx on public.workflow_runs (organization_id, available_at)
        where status = 'queued' and gate is null`);
    // Behind each gate of each workflow, in order of arrival.
    await runner.query(`
      create index workflow_runs_gate_idx on public.workflow_runs (organization_id, workflow_id, gate, created_at, id)
        where status = 'queued' and gate is not null`);
    await runner.query(`
      create index workflow_runs_gate_until_idx on public.workflow_runs (gate_until)
        where status = 'queued' and gate_until is not null`);
    await runner.query(`
      create index workflow_runs_debounce_idx on public.workflow_runs (organization_id, workflow_id, debounce_key, created_at, id)
        where status = 'queued' and gate = 'debounce'`);
    // Who waits for a slot, and who holds one.
    await runner.query(`
      create index workflow_runs_slot_idx on public.workflow_runs
        (organization_id, workflow_id, gate, slot_key, created_at, id) where limited and status in ('queued', 'running')`);
    await runner.query(`
      create index workflow_runs_released_idx on public.workflow_runs (organization_id, workflow_id, released_at)
        where released_at is not null`);
  }

  private async createGates(runner: QueryRunner): Promise<void> {
    // A run that had its slot given back must ask for another one, whoever puts it back into the queue.
    await runner.query(`
      create function private.hold_run() returns trigger
      language plpgsql set search_path = pg_catalog, pg_temp as $$
      begin
        new.gate := case when old.status <> 'waiting' then 'rate' when new.slot_key is null then 'slot' else 'key' end;
        new.gate_until := null;
        new.reason := case when old.status <> 'waiting' then 'rate' else 'concurrency' end;
        return new;
      end $$`);
    await runner.query(`
      create trigger workflow_runs_hold before update of status on public.workflow_runs for each row
      when (new.limited and new.status = 'queued' and old.status in ('waiting', 'failed', 'canceled'))
      execute function private.hold_run()`);
    // Of those that wait with the same key, the last one stands for all. It goes when nothing came for some time.
    await runner.query(`
      create function private.pass_debounce(organization text, workflow text, limits json, key text) returns void
      language plpgsql set search_path = pg_catalog, pg_temp as $$
      declare
        instant constant timestamptz := clock_timestamp();
        period constant interval := make_interval(secs => (limits -> 'debounce' ->> 'seconds')::integer);
        longest constant interval := make_interval(secs => (limits -> 'debounce' ->> 'max_seconds')::integer);
        last record;
        first_at timestamptz;
        ends timestamptz;
      begin
        select r.id, r.created_at, coalesce(r.debounce_since, r.created_at) as since into last from public.workflow_runs r
        where r.organization_id = organization and r.workflow_id = workflow and r.debounce_key = key
          and r.status = 'queued' and r.gate = 'debounce'
        order by r.created_at desc, r.id desc limit 1 for update skip locked;
        if not found then
          return;
        end if;
        with earlier as materialized (
          select r.id from public.workflow_runs r
          where r.organization_id = organization and r.workflow_id = workflow and r.debounce_key = key
            and r.status = 'queued' and r.gate = 'debounce' and r.id <> last.id
          for update skip locked
        ), put_off as (
          update public.workflow_runs r set status = 'canceled', reason = 'debounced', finished_at = instant
          from earlier where r.organization_id = organization and r.id = earlier.id
          returning coalesce(r.debounce_since, r.created_at) as since
        )
        select least(last.since, min(p.since)) into first_at from put_off p;
        ends := coalesce(least(last.created_at + period, first_at + longest), instant);
        update public.workflow_runs r set
          debounce_since = first_at,
          gate = case when ends > instant then 'debounce' else 'rate' end,
          reason = case when ends > instant then 'debounce' else 'rate' end,
          gate_until = case when ends > instant then ends end
        where r.organization_id = organization and r.id = last.id;
      end $$`);
    // So many in any period of such a length; the first of the others is looked at again when the next may go. Returns
    // the keys that runs ask for a slot with now.
    await runner.query(`
      create function private.pass_rate(organization text, workflow text, limits json) returns text[]
      language plpgsql set search_path = pg_catalog, pg_temp as $$
      declare
        instant constant timestamptz := clock_timestamp();
        most constant integer := (limits -> 'rate' ->> 'runs')::integer;
        period constant interval := make_interval(secs => (limits -> 'rate' ->> 'per_seconds')::integer);
        room integer := 1000;
        keys text[];
        next_at timestamptz;
      begin
        if most is not null then
          select most - count(*) into room from (
            select from public.workflow_runs r
            where r.organization_id = organization and r.workflow_id = workflow and r.released_at > instant - period
            limit most
          ) recent;
        end if;
        with first as materialized (
          select r.id from public.workflow_runs r
          where r.organization_id = organization and r.workflow_id = workflow and r.status = 'queued' and r.gate = 'rate'
          order by r.created_at, r.id limit room for update skip locked
        ), passed as (
          update public.workflow_runs r set
            gate = case when r.slot_key is null then 'slot' else 'key' end,
            reason = 'concurrency', gate_until = null,
            released_at = case when most is not null then instant end
          from first where r.organization_id = organization and r.id = first.id
          returning r.slot_key
        )
        select coalesce(array_agg(distinct p.slot_key) filter (where p.slot_key is not null), '{}') into keys from passed p;
        if most is not null then
          select r.released_at + period into next_at from public.workflow_runs r
          where r.organization_id = organization and r.workflow_id = workflow and r.released_at > instant - period
          order by r.released_at desc offset most - 1 limit 1;
          with head as materialized (
            select r.id from public.workflow_runs r
            where r.organization_id = organization and r.workflow_id = workflow and r.status = 'queued' and r.gate = 'rate'
            order by r.created_at, r.id limit 1 for update skip locked
          ), former as materialized (
            select r.id from public.workflow_runs r
            where r.gate_until is not null and r.gate_until <= instant and r.status = 'queued' and r.gate = 'rate'
              and r.organization_id = organization and r.workflow_id = workflow
            for update skip locked
          )
          update public.workflow_runs r set
            gate_until = case when r.id in (select h.id from head h) then coalesce(next_at, instant) end
          from (select id from head union select id from former) armed
          where r.organization_id = organization and r.id = armed.id;
        end if;
        return keys;
      end $$`);
    // First a slot of the key, then one of the workflow: whoever waits for the second holds the first. Returns the runs
    // that may be claimed now.
    await runner.query(`
      create function private.pass_slots(organization text, workflow text, limits json, keys text[]) returns text[]
      language plpgsql set search_path = pg_catalog, pg_temp as $$
      declare
        most_per_key constant integer := (limits -> 'concurrency' ->> 'runs_per_key')::integer;
        most constant integer := (limits -> 'concurrency' ->> 'runs')::integer;
        room integer;
        key text;
        released text[];
      begin
        foreach key in array keys loop
          room := 1000;
          if most_per_key is not null then
            select most_per_key - count(*) into room from (
              select from public.workflow_runs r
              where r.organization_id = organization and r.workflow_id = workflow and r.gate is null and r.slot_key = key
                and r.limited and r.status in ('queued', 'running')
              union all
              select from public.workflow_runs r
              where r.organization_id = organization and r.workflow_id = workflow and r.gate = 'slot' and r.slot_key = key
                and r.limited and r.status in ('queued', 'running')
            ) holders;
          end if;
          continue when room <= 0;
          with first as materialized (
            select r.id from public.workflow_runs r
            where r.organization_id = organization and r.workflow_id = workflow and r.gate = 'key' and r.slot_key = key
              and r.limited and r.status in ('queued', 'running')
            order by r.created_at, r.id limit room for update skip locked
          )
          update public.workflow_runs r set gate = 'slot' from first
          where r.organization_id = organization and r.id = first.id;
        end loop;
        room := 1000;
        if most is not null then
          select most - count(*) into room from (
            select from public.workflow_runs r
            where r.organization_id = organization and r.workflow_id = workflow and r.gate is null
              and r.limited and r.status in ('queued', 'running')
            limit most
          ) holders;
        end if;
        -- In order of arrival also among those that were let go before and not claimed yet.
        with first as materialized (
          select r.id from public.workflow_runs r
          where r.organization_id = organization and r.workflow_id = workflow and r.status = 'queued' and r.gate = 'slot'
          order by r.created_at, r.id limit room for update skip locked
        ), passed as (
          update public.workflow_runs r set gate = null, reason = null, available_at = least(r.available_at, r.created_at)
          from first where r.organization_id = organization and r.id = first.id
          returning r.id
        )
        select coalesce(array_agg(p.id), '{}') into released from passed p;
        return released;
      end $$`);
  }

  private async createAdmissions(runner: QueryRunner): Promise<void> {
    // Counting and letting in must be one for all processes, so there is one at a time for each workflow. Statements of
    // a function in plpgsql see what was committed before them, so each sees what the one before has let in. Who holds
    // the lock waits for no lock of rows that could be held by somebody who waits for it.
    await runner.query(`
      create function private.admit_runs(organization text, workflow text, debounced text, keys text[], patient boolean)
      returns text[]
      language plpgsql set search_path = pg_catalog, pg_temp as $$
      declare
        limits json;
      begin
        if patient then
          perform pg_advisory_xact_lock(1763700055, hashtext(organization || ' ' || workflow));
        elsif not pg_try_advisory_xact_lock(1763700055, hashtext(organization || ' ' || workflow)) then
          return null;
        end if;
        -- Those of today, also for runs that came before them.
        select w.trigger_options -> 'limits' into limits from public.workflows w
        where w.organization_id = organization and w.id = workflow;
        if debounced is not null then
          perform private.pass_debounce(organization, workflow, limits, debounced);
        end if;
        keys := keys || private.pass_rate(organization, workflow, limits);
        return private.pass_slots(organization, workflow, limits, array(select distinct k from unnest(keys) k));
      end $$`);
    // After a run was started, has ended or waits: lets in whom that lets in.
    await runner.query(`
      create function gate.admit_runs(changed_id text) returns table (id text, organization_id text)
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
      #variable_conflict use_column
      declare
        run record;
      begin
        select r.organization_id, r.workflow_id, r.limited, r.debounce_key, r.slot_key into run
        from public.workflow_runs r where r.id = changed_id;
        if run.limited then
          return query
            select admitted.id, run.organization_id
            from unnest(private.admit_runs(run.organization_id, run.workflow_id, run.debounce_key,
              array_remove(array[run.slot_key], null), true)) admitted (id);
        end if;
      end $$`);
    // Whom nobody let in, because a process died just then. Looks at every workflow with runs behind gates, and at a
    // thousand keys of each, and asks for the lock only where there is room. Begins anywhere, for there may be many.
    await runner.query(`
      create function gate.sweep_run_limits() returns table (id text, organization_id text)
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
      #variable_conflict use_column
      declare
        first_place constant text collate "C" := 'org_' || chr(48 + (random() * 75)::integer);
        place text collate "C" := first_place;
        place_of_workflow text collate "C" := '';
        wrapped boolean := false;
        scope record;
        keys text[];
      begin
        for visit in 1..200 loop
          select r.organization_id, r.workflow_id into scope from public.workflow_runs r
          where r.status = 'queued' and r.gate is not null
            and (r.organization_id, r.workflow_id) > (place, place_of_workflow)
          order by r.organization_id, r.workflow_id limit 1;
          if not found then
            exit when wrapped;
            wrapped := true;
            place := '';
            place_of_workflow := '';
            continue;
          end if;
          exit when wrapped and scope.organization_id > first_place;
          place := scope.organization_id;
          place_of_workflow := scope.workflow_id;
          keys := array(
            with recursive waiting (key, number) as (
              (select r.slot_key, 1 from public.workflow_runs r
                where r.organization_id = place and r.workflow_id = place_of_workflow and r.gate = 'key'
                  and r.limited and r.status in ('queued', 'running')
                order by r.slot_key limit 1)
              union all
              select (
                select r.slot_key from public.workflow_runs r
                where r.organization_id = place and r.workflow_id = place_of_workflow and r.gate = 'key'
                  and r.slot_key > w.key and r.limited and r.status in ('queued', 'running')
                order by r.slot_key limit 1), w.number + 1
              from waiting w where w.key is not null and w.number < 1000
            )
            select w.key from waiting w, public.workflows f
            where w.key is not null and f.organization_id = place and f.id = place_of_workflow
              and coalesce((f.trigger_options -> 'limits' -> 'concurrency' ->> 'runs_per_key')::integer > (
                select count(*) from public.workflow_runs r
                where r.organization_id = place and r.workflow_id = place_of_workflow and r.slot_key = w.key
                  and r.limited and r.status in ('queued', 'running') and (r.gate is null or r.gate = 'slot')), true));
          return query
            select admitted.id, place
            from unnest(private.admit_runs(place, place_of_workflow, null, keys, false)) admitted (id);
        end loop;
      end $$`);
  }

  private async createWakes(runner: QueryRunner): Promise<void> {
    // Of runs with limits: what comes back from a wait asks for a slot, and gates are looked at when it is time.
    await runner.query(`
      create function private.wake_limited_runs(most integer) returns integer
      language plpgsql set search_path = pg_catalog, pg_temp as $$
      declare
        scope record;
        looked_at integer := 0;
      begin
        for scope in
          select distinct due.organization_id, due.workflow_id, due.debounce_key from (
            select r.organization_id, r.workflow_id, case when r.gate = 'debounce' then r.debounce_key end as debounce_key
            from public.workflow_runs r
            where r.status = 'queued' and r.gate_until is not null and r.gate_until <= now()
            order by r.gate_until limit most
          ) due
          order by due.organization_id, due.workflow_id
        loop
          -- Somebody else is at it otherwise.
          if private.admit_runs(scope.organization_id, scope.workflow_id, scope.debounce_key, '{}', false) is not null then
            looked_at := looked_at + 1;
          end if;
        end loop;
        return looked_at;
      end $$`);
    await runner.query(`drop function private.wake_runs(integer)`);
    await runner.query(`
      create function private.wake_runs(most integer, out woken integer, out taken_over text[])
      language plpgsql set search_path = pg_catalog, pg_temp as $$
      declare
        limited json[];
        scope record;
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
          returning r.organization_id, r.workflow_id, r.slot_key, r.limited
        )
        select woken + count(*), array_agg(row_to_json(b)) filter (where b.limited) into woken, limited from begun b;
        for scope in
          select l ->> 'organization_id' as organization_id, l ->> 'workflow_id' as workflow_id,
            coalesce(array_agg(distinct l ->> 'slot_key') filter (where l ->> 'slot_key' is not null), '{}') as keys
          from unnest(limited) l group by 1, 2 order by 1, 2
        loop
          perform private.admit_runs(scope.organization_id, scope.workflow_id, null, scope.keys, true);
        end loop;
        woken := woken + private.wake_limited_runs(most);
      end $$`);
    await runner.query(`drop function gate.wake_runs(integer)`);
    await runner.query(`
      create function gate.wake_runs(most integer) returns table (woken integer)
      language sql security definer set search_path = pg_catalog, pg_temp as $$
        select w.woken from private.wake_runs(most) w
      $$`);
  }

  private async createClaims(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function gate.claim_runs(integer, text, integer, jsonb)`);
    await runner.query(`drop function private.next_runs(integer, jsonb, text[])`);
    await createTurns(runner, 'r.gate is null');
    await runner.query(`
      create function gate.claim_runs(most integer, only_id text, lease_seconds integer, share jsonb)
      returns table (id text, organization_id text, epoch integer, limited boolean)
      language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
      #variable_conflict use_column
      declare
        picked text[] := '{}';
        taken_over text[];
        run record;
      begin
        if only_id is null then
          select w.taken_over into taken_over from private.wake_runs(20) w;
          picked := private.next_runs(most, share, taken_over);
        else
          -- Behind a gate: it may be that it can pass, though the one who was to see to it has died.
          select r.organization_id, r.workflow_id, r.slot_key,
            case when r.gate = 'debounce' then r.debounce_key end as debounce_key into run
          from public.workflow_runs r
          where r.id = only_id and r.limited
            and (r.status = 'queued' and r.gate is not null or r.status = 'waiting' and r.available_at <= now());
          if found then
            update public.workflow_runs r set status = 'queued'
            where r.id = only_id and r.status = 'waiting' and r.available_at <= now();
            perform private.admit_runs(run.organization_id, run.workflow_id, run.debounce_key,
              array_remove(array[run.slot_key], null), true);
          end if;
          picked := array(
            select r.id from public.workflow_runs r
            where r.id = only_id and r.available_at <= now()
              and (r.status = 'running' or r.status = 'queued' and r.gate is null or r.status = 'waiting' and not r.limited)
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
              -- After whatever let it go has ended, also by its times.
              started_at = coalesce(r.started_at, clock_timestamp()),
              available_at = now() + make_interval(secs => lease_seconds)
            where r.id = any (picked)
            returning r.id, r.organization_id, r.epoch, r.status, r.limited
          )
          select t.id, t.organization_id, t.epoch, t.limited from taken t where t.status = 'running'
          order by array_position(picked, t.id);
      end $$`);
    await runner.query(`
      create or replace function gate.claim_runs(most integer, only_id text, lease_seconds integer)
      returns table (id text, organization_id text, epoch integer)
      language sql security definer set search_path = pg_catalog, pg_temp as $$
        select c.id, c.organization_id, c.epoch from gate.claim_runs(most, only_id, lease_seconds,
          jsonb_build_object('after', 'org_' || substr(md5(random()::text), 1, 4))) c
      $$`);
  }
}
