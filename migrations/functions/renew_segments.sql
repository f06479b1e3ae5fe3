-- Extends the leases of claimed organizations.
--
-- Arguments:
--   ids, epochs    the claims, as two arrays of the same length
--   lease_seconds  how long the claims last from now
-- Result: the claims that this worker still has. Every claim that is not in the result was lost.
-- Locks: the renewed rows. Locked rows are not renewed, but are reported as kept: nobody else can claim them meanwhile.
create or replace function gate.renew_segments(ids text[], epochs integer[], lease_seconds integer)
returns table (id text, organization_id text, epoch integer)
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with claimed as (
  select e.organization_id, e.epoch from unnest(ids, epochs) as c (id, epoch)
  join public.segment_evaluations e on e.organization_id = c.id and e.epoch = c.epoch
), unlocked as (
  select e.organization_id from public.segment_evaluations e
  join unnest(ids, epochs) as c (id, epoch) on e.organization_id = c.id and e.epoch = c.epoch
  for update of e skip locked
), renewed as (
  update public.segment_evaluations e set lease_until = now() + make_interval(secs => lease_seconds)
  from unlocked where e.organization_id = unlocked.organization_id
)
select claimed.organization_id, claimed.organization_id, claimed.epoch from claimed
$$;
