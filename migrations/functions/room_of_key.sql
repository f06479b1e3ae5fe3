-- Returns how many runs with a concurrency key may still get a slot of the key.
--
-- Arguments:
--   organization, workflow  the workflow
--   limits                  its limits as JSON
--   key                     the concurrency key
-- Result: the free slots, or 1000 when the workflow has no limit per key.
-- Locks: none. The caller has the advisory lock of the workflow.
create or replace function private.room_of_key(organization text, workflow text, limits json, key text)
returns integer
language plpgsql stable
set search_path = pg_catalog, pg_temp as $$
declare
  max_runs_per_key constant integer := (limits -> 'concurrency' ->> 'runs_per_key')::integer;
  room integer := 1000;
begin
  if max_runs_per_key is not null then
    select max_runs_per_key - count(*) into room from (
      select from public.workflow_runs r
      where r.organization_id = organization and r.workflow_id = workflow and r.delayed_by is null and r.slot_key = key
        and r.limited and r.status in ('queued', 'running')
      union all
      select from public.workflow_runs r
      where r.organization_id = organization and r.workflow_id = workflow and r.delayed_by = 'slot' and r.slot_key = key
        and r.limited and r.status in ('queued', 'running')
      limit max_runs_per_key
    ) holders;
  end if;
  return room;
end
$$;
