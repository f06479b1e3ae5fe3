-- Applies the rate limit of a workflow: gives its free places to runs, oldest first. The oldest run without a place
-- gets the time at which the next place may be free.
--
-- A run keeps the place that it gets here until one period after the run began. `released_at` is infinity until the run
-- begins. Then use_rate_place.sql sets it to the time at which the run began. So the runs that began in the last period
-- occupy places. The limit holds in every period, however long a run waits for a slot or a worker. A run whose key has
-- no free slot gets no place: it would keep the place from runs with other keys. Its column delayed_by is then 'turn'.
--
-- Arguments:
--   organization, workflow  the workflow
--   limits                  its limits as JSON
-- Result: nothing.
-- Locks: the runs that it changes; runs that other transactions have locked are skipped. The caller has the advisory
--   lock of the workflow.
--
-- The plans read the newest runs from the index workflow_runs_released_idx. Without these settings, PostgreSQL sorts all
-- runs of the period while a new table has no statistics.
create or replace function private.pass_rate(organization text, workflow text, limits json)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp set enable_sort = off set enable_bitmapscan = off as $$
declare
  moment constant timestamptz := clock_timestamp();
  max_runs constant integer := (limits -> 'rate' ->> 'runs')::integer;
  period constant interval := make_interval(secs => (limits -> 'rate' ->> 'per_seconds')::integer);
  max_runs_per_key constant integer := (limits -> 'concurrency' ->> 'runs_per_key')::integer;
  room integer := 1000;
  left_to_move integer := 1000;
  moved integer;
  admitted integer;
  next_at timestamptz;
begin
  if max_runs is not null then
    select max_runs - coalesce(sum(taken.places), 0) into room from (
      select case when r.earlier_begins is null then 1
        else 1 + cardinality(private.recent_begins(r.earlier_begins, moment - period)) end as places
      from public.workflow_runs r
      where r.organization_id = organization and r.workflow_id = workflow and r.released_at > moment - period
      limit max_runs
    ) taken;
  end if;
  -- Each pass of the loop moves as many runs as there are free places, at most 100. Runs whose key has no free slot take
  -- no place, so the next pass can give those places to other runs. After half a second, no further pass begins:
  -- counting the runs of many keys takes long. The next check finds the remaining runs.
  while room > 0 and left_to_move > 0 and clock_timestamp() <= moment + interval '500 ms' loop
    with next as materialized (
      select locked.* from (
        select r.ctid as place from public.workflow_runs r
        where r.organization_id = organization and r.workflow_id = workflow and r.status = 'queued'
          and r.delayed_by = 'rate'
        order by r.created_at, r.id limit 1100
      ) first cross join lateral (
        select r.id, r.slot_key, r.created_at from public.workflow_runs r
        where r.ctid = first.place and r.status = 'queued' and r.delayed_by = 'rate'
        for update skip locked
      ) locked limit least(room, left_to_move, 100)
    ), keys as materialized (
      select k.slot_key, private.room_of_key(organization, workflow, max_runs_per_key, k.slot_key) as room
      from (select distinct n.slot_key from next n where max_runs_per_key is not null and n.slot_key is not null) k
    ), judged as (
      select n.id, k.room is null or row_number() over (partition by n.slot_key order by n.created_at, n.id) <= k.room as is_free
      from next n left join keys k on k.slot_key = n.slot_key
    ), passed as (
      update public.workflow_runs r set
        delayed_by = case when j.is_free then 'slot' else 'turn' end,
        reason = 'concurrency', delayed_until = null,
        earlier_begins = case when j.is_free and max_runs is not null
          then nullif(private.recent_begins(r.earlier_begins || r.released_at, moment - period), '{}')
          else r.earlier_begins end,
        released_at = case when j.is_free and max_runs is not null then timestamptz 'infinity' else r.released_at end
      from judged j where r.organization_id = organization and r.id = j.id
      returning j.is_free
    )
    select count(*), count(*) filter (where p.is_free) into moved, admitted from passed p;
    exit when moved = 0;
    room := room - admitted;
    left_to_move := left_to_move - moved;
  end loop;
  if max_runs is not null then
    -- A run that has a place and has not begun yet frees the place after one period at the earliest.
    -- The newest max_runs runs have the newest max_runs begins. Without this limit, the statement would read all runs of
    -- the period, also those that began before the limit was set.
    select b.at + period into next_at from (
      select least(t.at, moment) as at from (
        select r.earlier_begins, r.released_at from public.workflow_runs r
        where r.organization_id = organization and r.workflow_id = workflow and r.released_at > moment - period
        order by r.released_at desc limit max_runs
      ) newest
      cross join unnest(newest.earlier_begins || newest.released_at) t (at)
      where t.at > moment - period
    ) b order by b.at desc offset max_runs - 1 limit 1;
    with head as materialized (
      select locked.id from (
        select r.ctid as place from public.workflow_runs r
        where r.organization_id = organization and r.workflow_id = workflow and r.status = 'queued'
          and r.delayed_by = 'rate'
        order by r.created_at, r.id limit 1000
      ) first cross join lateral (
        select r.id from public.workflow_runs r
        where r.ctid = first.place and r.status = 'queued' and r.delayed_by = 'rate'
        for update skip locked
      ) locked limit 1
    ), overdue as materialized (
      select locked.id from (
        select r.ctid as place from public.workflow_runs r
        where r.delayed_until is not null and r.delayed_until <= moment and r.status = 'queued' and r.delayed_by = 'rate'
          and r.organization_id = organization and r.workflow_id = workflow
        order by r.delayed_until limit 2000
      ) due cross join lateral (
        select r.id from public.workflow_runs r
        where r.ctid = due.place and r.delayed_until <= moment and r.status = 'queued'
          and r.delayed_by = 'rate'
        for update skip locked
      ) locked limit 1000
    )
    update public.workflow_runs r set
      delayed_until = case when r.id in (select h.id from head h) then coalesce(next_at, moment) end
    from (select id from head union select id from overdue) changed
    where r.organization_id = organization and r.id = changed.id;
  end if;
end
$$;
