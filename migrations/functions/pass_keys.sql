-- Applies the concurrency limit per key of a workflow: gives free slots of keys to runs, oldest first. A run that has
-- a place of the rate, or needs none, gets the slot. A run that still needs a place asks for it again in pass_rate.
--
-- Arguments:
--   organization, workflow  the workflow
--   limits                  its limits as JSON
--   keys                    the concurrency keys to look at
-- Result: nothing. Changes about 1,000 runs, and looks at no further key after half a second. Callers that look at many
--   keys look at the remaining keys again later.
-- Locks: the runs that it changes; runs that other transactions have locked are skipped. The caller has the advisory
--   lock of the workflow.
create or replace function private.pass_keys(organization text, workflow text, limits json, keys text[])
returns void
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  ends_at constant timestamptz := clock_timestamp() + interval '500 ms';
  max_runs_per_key constant integer := (limits -> 'concurrency' ->> 'runs_per_key')::integer;
  key text;
  room integer;
  passed integer;
  left_to_move integer := 1000;
begin
  foreach key in array keys loop
    exit when left_to_move <= 0 or clock_timestamp() > ends_at;
    room := least(private.room_of_key(organization, workflow, max_runs_per_key, key), 1000);
    continue when room <= 0;
    with first as materialized (
      select locked.id from (
        select r.ctid as place from public.workflow_runs r
        where r.organization_id = organization and r.workflow_id = workflow and r.delayed_by = 'key' and r.slot_key = key
          and r.limited and r.status in ('queued', 'running')
        order by r.created_at, r.id limit 2000
      ) next cross join lateral (
        select r.id from public.workflow_runs r
        where r.ctid = next.place and r.delayed_by = 'key' and r.slot_key = key
          and r.limited and r.status in ('queued', 'running')
        for update skip locked
      ) locked limit room
    )
    update public.workflow_runs r set delayed_by = 'slot' from first
    where r.organization_id = organization and r.id = first.id;
    get diagnostics passed = row_count;
    left_to_move := left_to_move - passed;
    continue when passed = room;
    with first as materialized (
      select locked.id from (
        select r.ctid as place from public.workflow_runs r
        where r.organization_id = organization and r.workflow_id = workflow and r.delayed_by = 'turn' and r.slot_key = key
          and r.limited and r.status in ('queued', 'running')
        order by r.created_at, r.id limit 2000
      ) next cross join lateral (
        select r.id from public.workflow_runs r
        where r.ctid = next.place and r.delayed_by = 'turn' and r.slot_key = key
          and r.limited and r.status in ('queued', 'running')
        for update skip locked
      ) locked limit room - passed
    )
    update public.workflow_runs r set delayed_by = 'rate', reason = 'rate' from first
    where r.organization_id = organization and r.id = first.id;
    get diagnostics passed = row_count;
    left_to_move := left_to_move - passed;
  end loop;
end
$$;
