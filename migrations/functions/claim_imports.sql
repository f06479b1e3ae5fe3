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
-- occupy all slots. The search jumps from organization to organization in the index imports_turns_idx, so its cost does
-- not depend on the number of running imports of an organization. New tables have no statistics, so without these
-- settings PostgreSQL could read the whole table.
--
-- lease_runs.sql says why the epochs begin again after the largest integer.
create or replace function gate.claim_imports(batch_size integer, only_id text, lease_seconds integer)
returns table (id text, organization_id text, epoch integer)
language sql security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
with recursive waiting (organization_id) as (
  (select r.organization_id from public.imports r where r.status = 'running' order by r.organization_id limit 1)
  union all
  select (
    select r.organization_id from public.imports r
    where r.status = 'running' and r.organization_id > waiting.organization_id order by r.organization_id limit 1
  ) from waiting where waiting.organization_id is not null
), first as materialized (
  select next.* from waiting cross join lateral (
    select r.organization_id, r.id, coalesce(r.lease_until, r.started_at) as turn, r.lease_until from public.imports r
    where r.status = 'running' and r.organization_id = waiting.organization_id
    order by r.started_at, r.id limit 1
  ) next
), due as materialized (
  select locked.* from (
    select f.organization_id, f.id from first f
    where (f.lease_until is null or f.lease_until <= now()) and (only_id is null or f.id = only_id)
    order by f.turn
  ) ordered cross join lateral (
    select i.organization_id, i.id from public.imports i
    where i.organization_id = ordered.organization_id and i.id = ordered.id and i.status = 'running'
      and (i.lease_until is null or i.lease_until <= now())
    for update skip locked
  ) locked limit batch_size
)
update public.imports i set
  epoch = i.epoch % 2147483647 + 1, attempts = least(i.attempts, 1000) + 1, lease_until = now() + make_interval(secs => lease_seconds)
from due where i.organization_id = due.organization_id and i.id = due.id
returning i.id, i.organization_id, i.epoch
$$;
