-- Claims, for one worker, organizations whose contacts must be compared with their segments. Raises the epochs and
-- starts the leases.
--
-- Arguments:
--   batch_size     the largest number of organizations to claim
--   only_id        claims only this organization, and only if it is due; null: any due organizations
--   lease_seconds  how long the claims last without renewal
-- Result: id, organization and new epoch of each claim. The first two are both the id of the organization.
-- Locks: the claimed rows. Rows that other transactions have locked are skipped.
--
-- The organization whose last turn is longest ago comes first. One changed contact is enough for a claim, so the search
-- does not count changed contacts and jumps from organization to organization.
create or replace function gate.claim_segments(batch_size integer, only_id text, lease_seconds integer)
returns table (id text, organization_id text, epoch integer)
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with recursive changed (organization_id) as (
  (select c.organization_id from public.segment_changes c order by c.organization_id limit 1)
  union all
  select (
    select c.organization_id from public.segment_changes c where c.organization_id > changed.organization_id
    order by c.organization_id limit 1
  ) from changed where changed.organization_id is not null
), waiting as (
  select changed.organization_id from changed where changed.organization_id is not null
  union
  select s.organization_id from public.segments s where s.sweep_at <= now()
), due as materialized (
  select e.organization_id from waiting
  join public.segment_evaluations e on e.organization_id = waiting.organization_id
  where (e.lease_until is null or e.lease_until <= now()) and (only_id is null or e.organization_id = only_id)
  order by e.claimed_at limit batch_size for update of e skip locked
)
update public.segment_evaluations e set
  epoch = e.epoch + 1, lease_until = now() + make_interval(secs => lease_seconds), claimed_at = now()
from due where e.organization_id = due.organization_id
returning e.organization_id, e.organization_id, e.epoch
$$;
