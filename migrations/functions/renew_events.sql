-- Extends the leases of claimed domain events.
--
-- Arguments:
--   ids, epochs    the claims, as two arrays of the same length
--   lease_seconds  how long the claims last from now
-- Result: the claims that this worker still has. Every claim that is not in the result was lost.
-- Locks: the renewed rows. Locked rows are not renewed, but are reported as kept: they are in a transaction of this
--   worker, which renews or ends the claim itself. If the function waited for them, other leases would expire.
create or replace function gate.renew_events(ids text[], epochs integer[], lease_seconds integer)
returns table (id text, organization_id text, epoch integer)
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with claimed as (
  select e.id, e.organization_id, e.epoch from unnest(ids, epochs) as c (id, epoch)
  join public.pending_events e on e.id = c.id and e.epoch = c.epoch
), unlocked as (
  select e.organization_id, e.id from public.pending_events e
  join unnest(ids, epochs) as c (id, epoch) on e.id = c.id and e.epoch = c.epoch
  for update of e skip locked
), renewed as (
  update public.pending_events e set available_at = now() + make_interval(secs => lease_seconds)
  from unlocked where e.organization_id = unlocked.organization_id and e.id = unlocked.id
)
select claimed.id, claimed.organization_id, claimed.epoch from claimed
$$;
