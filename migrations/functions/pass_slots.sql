-- Applies the concurrency limits of a workflow: gives free slots to runs, oldest first. A run needs a slot of
-- its key, then one of the workflow. While it waits for the second, it keeps the first.
--
-- Arguments:
--   organization, workflow  the workflow
--   limits                  its limits as JSON
--   keys                    the concurrency keys to look at
-- Result: the ids of the runs that can be claimed now.
-- Locks: the runs that it changes; it skips runs that others have locked. The caller has the advisory lock of
--   the workflow.
create or replace function private.pass_slots(organization text, workflow text, limits json, keys text[])
returns text[]
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  max_runs_per_key constant integer := (limits -> 'concurrency' ->> 'runs_per_key')::integer;
  max_runs constant integer := (limits -> 'concurrency' ->> 'runs')::integer;
  room integer;
  key text;
  released text[];
begin
  foreach key in array keys loop
    room := 1000;
    if max_runs_per_key is not null then
      select max_runs_per_key - count(*) into room from (
        select from public.workflow_runs r
        where r.organization_id = organization and r.workflow_id = workflow and r.delayed_by is null and r.slot_key = key
          and r.limited and r.status in ('queued', 'running')
        union all
        select from public.workflow_runs r
        where r.organization_id = organization and r.workflow_id = workflow and r.delayed_by = 'slot' and r.slot_key = key
          and r.limited and r.status in ('queued', 'running')
      ) holders;
    end if;
    continue when room <= 0;
    with first as materialized (
      select r.id from public.workflow_runs r
      where r.organization_id = organization and r.workflow_id = workflow and r.delayed_by = 'key' and r.slot_key = key
        and r.limited and r.status in ('queued', 'running')
      order by r.created_at, r.id limit room for update skip locked
    )
    update public.workflow_runs r set delayed_by = 'slot' from first
    where r.organization_id = organization and r.id = first.id;
  end loop;
  room := 1000;
  if max_runs is not null then
    select max_runs - count(*) into room from (
      select from public.workflow_runs r
      where r.organization_id = organization and r.workflow_id = workflow and r.delayed_by is null
        and r.limited and r.status in ('queued', 'running')
      limit max_runs
    ) holders;
  end if;
  -- Runs that were admitted earlier and are not claimed yet have this order too.
  with first as materialized (
    select r.id from public.workflow_runs r
    where r.organization_id = organization and r.workflow_id = workflow and r.status = 'queued' and r.delayed_by = 'slot'
    order by r.created_at, r.id limit room for update skip locked
  ), passed as (
    update public.workflow_runs r set delayed_by = null, reason = null, available_at = least(r.available_at, r.created_at)
    from first where r.organization_id = organization and r.id = first.id
    returning r.id
  )
  select coalesce(array_agg(p.id), '{}') into released from passed p;
  return released;
end
$$;
