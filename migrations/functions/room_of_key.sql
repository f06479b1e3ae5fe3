-- Returns how many runs with a concurrency key may still get a slot of the key.
--
-- Arguments:
--   organization, workflow  the workflow
--   max_runs_per_key        its limit per key, or null
--   key                     the concurrency key
-- Result: the free slots, or 1000 when the workflow has no limit per key.
-- Locks: none. The caller has the advisory lock of the workflow.
--
-- The limit is a number and not JSON, because PostgreSQL parses JSON again at each access, and callers have many keys.
create or replace function private.room_of_key(organization text, workflow text, max_runs_per_key integer, key text)
returns integer
language plpgsql stable
set search_path = pg_catalog, pg_temp as $$
declare
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
