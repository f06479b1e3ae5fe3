-- Extends the leases of claimed runs.
--
-- Arguments:
--   ids, epochs    the claims, as two arrays of the same length
--   lease_seconds  how long the claims last from now
-- Result: the claims that this worker still has. Every claim that is not in the result was lost.
-- Locks: the renewed rows. Locked rows are not renewed, but are reported as kept: they are in a transaction of this
--   worker, which renews or ends the claim itself. If the function waited for them, other leases would expire.
create or replace function gate.renew_runs(ids text[], epochs integer[], lease_seconds integer)
returns table (id text, organization_id text, epoch integer)
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with claimed as (
  select r.id, r.organization_id, r.epoch from unnest(ids, epochs) as c (id, epoch)
  join public.workflow_runs r on r.id = c.id and r.epoch = c.epoch and r.status = 'running'
), unlocked as (
  select r.id from public.workflow_runs r
  join unnest(ids, epochs) as c (id, epoch) on r.id = c.id and r.epoch = c.epoch
  where r.status = 'running'
  for update of r skip locked
), renewed as (
  update public.workflow_runs r set available_at = now() + make_interval(secs => lease_seconds)
  from unlocked where r.id = unlocked.id
)
select claimed.id, claimed.organization_id, claimed.epoch from claimed
$$;
