-- Lets runs pass the limits of a workflow after one of its runs started, ended or began to wait.
--
-- Arguments:
--   changed_id  that run
-- Result: id and organization of each run that can be claimed now.
-- Locks: as private.admit_runs_of_workflow; it waits for the advisory lock.
create or replace function gate.admit_runs(changed_id text)
returns table (id text, organization_id text)
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  run record;
begin
  select r.organization_id, r.workflow_id, r.limited, r.debounce_key, r.slot_key into run
  from public.workflow_runs r where r.id = changed_id;
  if run.limited then
    return query
      select admitted.id, run.organization_id
      from unnest(private.admit_runs_of_workflow(run.organization_id, run.workflow_id, run.debounce_key,
        array_remove(array[run.slot_key], null), true)) admitted (id);
  end if;
end
$$;
