-- Parks a run that was left by dead workers three times without progress: ends it with the reason "poison".
--
-- Arguments: the organization, and the run, which the transaction has locked.
-- Result: true if the run is parked. false if another transaction has locked a row that the end of the run changes, or
--   if a changed row would violate a check. Then the run is due again after 5 seconds. SQL of a tool can cause both,
--   and a claim that waited or failed would keep the runs of all organizations waiting.
-- Locks: the run, and the rows that end_child_run and record_parked_run change.
create or replace function private.park_run(organization text, run text) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp set lock_timeout = '1ms' as $$
begin
  update public.workflow_runs r set
    crashes = greatest(0, least(r.crashes, 1000)) + 1, status = 'failed', reason = 'poison', finished_at = now(),
    available_at = timestamptz 'epoch'
  where r.organization_id = organization and r.id = run;
  return true;
exception when lock_not_available or integrity_constraint_violation then
  update public.workflow_runs r set available_at = now() + interval '5 seconds'
  where r.organization_id = organization and r.id = run;
  return false;
end
$$;
