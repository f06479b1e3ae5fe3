-- Puts due runs back into the queue: runs whose worker died, runs whose wait is over, and runs that a limit has delayed
-- until now.
--
-- Arguments:
--   batch_size  the largest number of runs of each kind. A claim passes a small number, to stay fast.
-- Result: woken: how many runs and due limits were found. recovered: the organizations of the runs whose worker died.
-- Locks: the changed runs, and the locks of park_run; runs that other transactions have locked are skipped. For runs
--   with limits also the advisory lock of the workflow, if it is free: see admit_runs_of_workflow. Otherwise the sweep
--   admits these runs. A claim must not wait for SQL of a tool that holds the lock.
--
-- After a second, the function parks no further run, and checks no further limits, for the reason that admit_due_runs
-- names. The remaining crashed runs are due again after 5 seconds, and the sweep admits the remaining runs with limits.
--
-- A run that is "running" although its lease has ended was left by a worker that died. This counts as a crash of the
-- run. The third crash without progress parks the run with the reason "poison", so that it cannot stop worker after
-- worker. The other runs of dead workers are claimed before all runs of their organization that have not begun.
create or replace function private.requeue_due_runs(
  batch_size integer,
  out woken integer,
  out recovered text[]
)
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  ends_at constant timestamptz := clock_timestamp() + interval '1 second';
  limited json[];
  scope record;
  crashed record;
  poison json[];
begin
  with lost as materialized (
    select r.organization_id, r.id, r.crashes >= 2 as is_poison from public.workflow_runs r
    where r.status = 'running' and r.available_at <= now()
    order by r.available_at limit batch_size for update skip locked
  ), requeued as (
    update public.workflow_runs r set
      crashes = greatest(0, r.crashes) + 1, status = 'queued', available_at = timestamptz 'epoch'
    from lost where r.organization_id = lost.organization_id and r.id = lost.id and not lost.is_poison
    returning r.organization_id
  )
  select count(*), coalesce(array_agg(distinct t.organization_id), '{}'),
    array(select row_to_json(l) from lost l where l.is_poison)
  into woken, recovered, poison from requeued t;
  for crashed in
    select p ->> 'organization_id' as organization_id, p ->> 'id' as id from unnest(poison) p
    order by row_number() over (partition by p ->> 'organization_id'), random()
  loop
    if clock_timestamp() > ends_at then
      update public.workflow_runs r set available_at = now() + interval '5 seconds'
      where r.organization_id = crashed.organization_id and r.id = crashed.id;
    elsif private.park_run(crashed.organization_id, crashed.id) then
      woken := woken + 1;
    end if;
  end loop;
  with due as materialized (
    select r.organization_id, r.id from public.workflow_runs r
    where r.status = 'waiting' and r.available_at <= now()
    order by r.available_at limit batch_size - woken for update skip locked
  ), resumed as (
    update public.workflow_runs r set status = 'queued', reason = null
    from due where r.organization_id = due.organization_id and r.id = due.id
    returning r.organization_id, r.workflow_id, r.slot_key, r.limited
  )
  select woken + count(*), array_agg(row_to_json(b)) filter (where b.limited) into woken, limited from resumed b;
  for scope in
    select l ->> 'organization_id' as organization_id, l ->> 'workflow_id' as workflow_id,
      coalesce(array_agg(distinct l ->> 'slot_key') filter (where l ->> 'slot_key' is not null), '{}') as keys
    from unnest(limited) l group by 1, 2 order by random()
  loop
    exit when clock_timestamp() > ends_at;
    perform private.admit_runs_of_workflow(scope.organization_id, scope.workflow_id, null, scope.keys, false);
  end loop;
  woken := woken + private.admit_due_runs(batch_size);
end
$$;
