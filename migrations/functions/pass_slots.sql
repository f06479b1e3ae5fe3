-- Applies the concurrency limit of a workflow: gives free slots to runs, oldest first. A run needs a slot of its key
-- (pass_keys.sql), then a slot of the workflow. While it waits for the second slot, it keeps the first.
--
-- Arguments:
--   organization, workflow  the workflow
--   limits                  its limits as JSON
-- Result: the ids of the runs that can be claimed now.
-- Locks: the runs that it changes; runs that other transactions have locked are skipped. The caller has the advisory
--   lock of the workflow.
create or replace function private.pass_slots(organization text, workflow text, limits json)
returns text[]
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  max_runs constant integer := (limits -> 'concurrency' ->> 'runs')::integer;
  room integer := 1000;
  released text[];
begin
  if max_runs is not null then
    select max_runs - count(*) into room from (
      select from public.workflow_runs r
      where r.organization_id = organization and r.workflow_id = workflow and r.delayed_by is null
        and r.limited and r.status in ('queued', 'running')
      limit max_runs
    ) holders;
  end if;
  -- With this available_at, runs that were admitted at different times are claimed in the order of their creation.
  with first as materialized (
    select locked.id from (
      select r.ctid as place from public.workflow_runs r
      where r.organization_id = organization and r.workflow_id = workflow and r.status = 'queued' and r.delayed_by = 'slot'
      order by r.created_at, r.id limit 2000
    ) next cross join lateral (
      select r.id from public.workflow_runs r
      where r.ctid = next.place and r.status = 'queued' and r.delayed_by = 'slot'
      for update skip locked
    ) locked limit greatest(0, least(room, 1000))
  ), passed as (
    update public.workflow_runs r set delayed_by = null, reason = null, available_at = least(r.available_at, r.created_at)
    from first where r.organization_id = organization and r.id = first.id
    returning r.id
  )
  select coalesce(array_agg(p.id), '{}') into released from passed p;
  return released;
end
$$;
