-- Applies the rate limit of a workflow: lets as many runs pass as the period still allows, oldest first. The
-- first of the others gets the time when the next place is free.
--
-- Arguments:
--   organization, workflow  the workflow
--   limits                  its limits as JSON
-- Result: the concurrency keys of the runs that passed.
-- Locks: the runs that it changes; it skips runs that others have locked. The caller has the advisory lock of
--   the workflow.
create or replace function private.pass_rate(organization text, workflow text, limits json)
returns text[]
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  moment constant timestamptz := clock_timestamp();
  max_runs constant integer := (limits -> 'rate' ->> 'runs')::integer;
  period constant interval := make_interval(secs => (limits -> 'rate' ->> 'per_seconds')::integer);
  room integer := 1000;
  keys text[];
  next_at timestamptz;
begin
  if max_runs is not null then
    select max_runs - count(*) into room from (
      select from public.workflow_runs r
      where r.organization_id = organization and r.workflow_id = workflow and r.released_at > moment - period
      limit max_runs
    ) recent;
  end if;
  with first as materialized (
    select r.id from public.workflow_runs r
    where r.organization_id = organization and r.workflow_id = workflow and r.status = 'queued' and r.delayed_by = 'rate'
    order by r.created_at, r.id limit room for update skip locked
  ), passed as (
    update public.workflow_runs r set
      delayed_by = case when r.slot_key is null then 'slot' else 'key' end,
      reason = 'concurrency', delayed_until = null,
      released_at = case when max_runs is not null then moment end
    from first where r.organization_id = organization and r.id = first.id
    returning r.slot_key
  )
  select coalesce(array_agg(distinct p.slot_key) filter (where p.slot_key is not null), '{}') into keys from passed p;
  if max_runs is not null then
    select r.released_at + period into next_at from public.workflow_runs r
    where r.organization_id = organization and r.workflow_id = workflow and r.released_at > moment - period
    order by r.released_at desc offset max_runs - 1 limit 1;
    with head as materialized (
      select r.id from public.workflow_runs r
      where r.organization_id = organization and r.workflow_id = workflow and r.status = 'queued' and r.delayed_by = 'rate'
      order by r.created_at, r.id limit 1 for update skip locked
    ), overdue as materialized (
      select r.id from public.workflow_runs r
      where r.delayed_until is not null and r.delayed_until <= moment and r.status = 'queued' and r.delayed_by = 'rate'
        and r.organization_id = organization and r.workflow_id = workflow
      for update skip locked
    )
    update public.workflow_runs r set
      delayed_until = case when r.id in (select h.id from head h) then coalesce(next_at, moment) end
    from (select id from head union select id from overdue) changed
    where r.organization_id = organization and r.id = changed.id;
  end if;
  return keys;
end
$$;
