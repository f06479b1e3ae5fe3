-- Trigger function: wakes the runs that wait for the end of this run.
--
-- Arguments: none (row trigger after an update of the status).
-- Result: null.
-- Locks: the waits and the waiting runs. Runs that other transactions have locked are skipped. A transaction that has
--   locked a run looks at the waits of this run before it lets the run wait.
--
-- One step waits for a run. Only SQL of a tool can store more waits for the same run. The function ends at most 10 of
-- them, so that a claim that parks runs does not take too long.
--
-- A run can end in a worker, by a call, or as "poison" in a claim. A trigger covers all three cases.
create or replace function private.end_child_run() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  parents text[];
begin
  with chosen as materialized (
    select w.run_id, w.step_id from public.run_waits w
    where w.organization_id = new.organization_id and w.child_run_id = new.id and w.state = 'armed' limit 10
  ), ended as (
    update public.run_waits w set state = 'delivered' from chosen
    where w.organization_id = new.organization_id and w.run_id = chosen.run_id and w.step_id = chosen.step_id
      and w.state = 'armed'
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
end
$$;
