-- Trigger function: lists a run that was parked, so that a worker publishes its failure.
--
-- Arguments: none (row trigger after an update of the status).
-- Result: null.
-- Locks: only the row that it inserts. This row is committed together with the parked run, so a crash loses nothing.
create or replace function private.record_parked_run() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  insert into public.parked_runs (organization_id, run_id) values (new.organization_id, new.id)
  on conflict do nothing;
  return null;
end
$$;
