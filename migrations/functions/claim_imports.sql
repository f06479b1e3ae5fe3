-- Claims running imports for one worker: raises their epochs and starts their leases.
--
-- Arguments:
--   batch_size     the largest number of rows to claim
--   only_id        claims only this row, and only if it is due; null: any due rows
--   lease_seconds  how long the claims last without renewal
-- Result: id, organization and new epoch of each claimed row.
-- Locks: the claimed rows. Rows that other transactions have locked are skipped.
--
-- The import whose last turn is longest ago comes first: when a turn ends, lease_until is the time of its end. Before
-- the first turn of an import, started_at counts instead of lease_until. Without this order, long imports could keep
-- all others waiting.
--
-- Each organization has one running import at a time, the one that was started first. Otherwise one organization could
-- occupy all slots.
--
-- lease_runs.sql says why the epochs begin again after the largest integer.
create or replace function gate.claim_imports(batch_size integer, only_id text, lease_seconds integer)
returns table (id text, organization_id text, epoch integer)
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with first as materialized (
  select distinct on (r.organization_id) r.organization_id, r.id from public.imports r
  where r.status = 'running' order by r.organization_id, r.started_at, r.id
), due as materialized (
  select i.organization_id, i.id from first
  join public.imports i on i.organization_id = first.organization_id and i.id = first.id
  where i.status = 'running' and (i.lease_until is null or i.lease_until <= now())
    and (only_id is null or i.id = only_id)
  order by coalesce(i.lease_until, i.started_at) limit batch_size for update of i skip locked
)
update public.imports i set
  epoch = i.epoch % 2147483647 + 1, attempts = least(i.attempts, 1000) + 1, lease_until = now() + make_interval(secs => lease_seconds)
from due where i.organization_id = due.organization_id and i.id = due.id
returning i.id, i.organization_id, i.epoch
$$;
