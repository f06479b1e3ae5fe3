-- Extends the leases of claimed schedules.
--
-- Arguments:
--   ids, epochs    the claims, as two arrays of the same length
--   lease_seconds  how long the claims last from now
-- Result: the claims that this worker still has. Every claim that is not in the result was lost.
-- Locks: the renewed rows. Locked rows are not renewed, but are reported as kept: they are in a transaction of this
--   worker, which renews or ends the claim itself. If the function waited for them, other leases would expire.
create or replace function gate.renew_schedules(ids text[], epochs integer[], lease_seconds integer)
returns table (id text, organization_id text, epoch integer)
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with claimed as (
  select s.organization_id, s.workflow_id, s.epoch from unnest(ids, epochs) as c (id, epoch)
  join public.workflow_schedules s on s.workflow_id = c.id and s.epoch = c.epoch
), unlocked as (
  select s.organization_id, s.workflow_id from public.workflow_schedules s
  join unnest(ids, epochs) as c (id, epoch) on s.workflow_id = c.id and s.epoch = c.epoch
  for update of s skip locked
), renewed as (
  update public.workflow_schedules s set available_at = now() + make_interval(secs => lease_seconds)
  from unlocked where s.organization_id = unlocked.organization_id and s.workflow_id = unlocked.workflow_id
)
select claimed.workflow_id, claimed.organization_id, claimed.epoch from claimed
$$;
