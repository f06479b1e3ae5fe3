-- Starts the leases of chosen runs, for gate.claim_runs.
--
-- Arguments:
--   chosen         the ids of runs that this transaction has locked
--   lease_seconds  how long the leases last without renewal
-- Result: id, organization and new epoch of each run in the given order, and whether its workflow limits runs.
-- Locks: none.
--
-- SQL of a tool can store any epoch. After the largest integer, the epochs begin again at 1, so that no such row makes
-- the claims of other organizations fail. For the same reason, the stored number of crashes counts as at least 0 and at
-- most 1,000.
--
-- It is a separate function so that plan_cache_mode applies to its statement alone. Otherwise the number of ids would
-- make PostgreSQL plan the statement for each call, which takes a third of the time of the update.
create or replace function private.lease_runs(chosen text[], lease_seconds integer)
returns table (id text, organization_id text, epoch integer, limited boolean)
language plpgsql
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return query
    with claimed as (
      update public.workflow_runs r set
        epoch = r.epoch % 2147483647 + 1,
        crashes = greatest(0, least(r.crashes, 1000)) + (r.status = 'running')::integer,
        status = 'running',
        reason = null,
        -- now() would be the start of the transaction, and the transaction may have waited for a run that ended later.
        started_at = coalesce(r.started_at, clock_timestamp()),
        available_at = now() + make_interval(secs => lease_seconds)
      where r.id = any (chosen)
      returning r.id, r.organization_id, r.epoch, r.limited
    )
    select t.id, t.organization_id, t.epoch, t.limited from claimed t
    order by array_position(chosen, t.id);
end
$$;
