-- Lets runs pass the limits of a workflow after one of its runs started, ended or began to wait.
--
-- Arguments:
--   changed_id  the run that started, ended or began to wait
-- Result: id and organization of each run that can be claimed now. The result also has the next run that the rate limit
--   delays, with the milliseconds until that run must be checked again.
-- Locks: as private.admit_runs_of_workflow; it waits for the advisory lock, at most a second. After that it throws, and
--   the sweep tries again. Other calls of the gate wait for the connection of this call.
create or replace function gate.admit_runs(changed_id text)
returns table (id text, organization_id text, wait_ms double precision)
language plpgsql security definer
set search_path = pg_catalog, pg_temp set lock_timeout = '1s' as $$
#variable_conflict use_column
declare
  run record;
begin
  select r.organization_id, r.workflow_id, r.limited, r.debounce_key, r.slot_key into run
  from public.workflow_runs r where r.id = changed_id;
  if run.limited then
    return query
      select admitted.id, run.organization_id, null::double precision
      from unnest(private.admit_runs_of_workflow(run.organization_id, run.workflow_id, run.debounce_key,
        array_remove(array[run.slot_key], null), true)) admitted (id);
    return query
      select head.id, run.organization_id, extract(epoch from head.delayed_until - clock_timestamp())::double precision * 1000
      from (
        select r.id, r.delayed_until from public.workflow_runs r
        where r.organization_id = run.organization_id and r.workflow_id = run.workflow_id and r.status = 'queued'
          and r.delayed_by = 'rate'
        order by r.created_at, r.id limit 1
      ) head where head.delayed_until is not null;
  end if;
end
$$;
