-- Lists runs that were parked and whose failure is not published yet.
--
-- Arguments:
--   batch_size  the largest number of runs
-- Result: id and organization of each run, in random order. So a run that cannot be published does not keep the others
--   waiting.
-- Locks: none.
create or replace function gate.find_parked_runs(batch_size integer)
returns table (id text, organization_id text)
language sql security definer
set search_path = pg_catalog, pg_temp as $$
select p.run_id, p.organization_id from public.parked_runs p order by random() limit batch_size
$$;
