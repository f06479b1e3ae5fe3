-- Checks the limits that are due again: the end of a debounce period, or a free place in a rate.
--
-- Arguments:
--   batch_size  the largest number of runs to look at
-- Result: how many workflows and debounce keys it checked.
-- Locks: as private.admit_runs_of_workflow, but workflows whose advisory lock is taken are skipped.
create or replace function private.admit_due_runs(batch_size integer) returns integer
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  scope record;
  checked integer := 0;
begin
  for scope in
    select distinct due.organization_id, due.workflow_id, due.debounce_key from (
      select r.organization_id, r.workflow_id, case when r.delayed_by = 'debounce' then r.debounce_key end as debounce_key
      from public.workflow_runs r
      where r.status = 'queued' and r.delayed_until is not null and r.delayed_until <= now()
      order by r.delayed_until limit batch_size
    ) due
    order by due.organization_id, due.workflow_id
  loop
    -- Null means that another process has the lock of the workflow and checks its limits.
    if private.admit_runs_of_workflow(scope.organization_id, scope.workflow_id, scope.debounce_key, '{}', false) is not null then
      checked := checked + 1;
    end if;
  end loop;
  return checked;
end
$$;
