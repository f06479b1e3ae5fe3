-- Extends the leases of claimed imports.
--
-- Arguments:
--   ids, epochs    the claims, as two arrays of the same length
--   lease_seconds  how long the claims last from now
-- Result: the claims that this worker still has. Every claim that is not in the result was lost.
-- Locks: the renewed rows. Locked rows are not renewed, but are reported as kept: nobody else can claim them meanwhile.
create or replace function gate.renew_imports(ids text[], epochs integer[], lease_seconds integer)
returns table (id text, organization_id text, epoch integer)
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with claimed as (
  select i.id, i.organization_id, i.epoch from unnest(ids, epochs) as c (id, epoch)
  join public.imports i on i.id = c.id and i.epoch = c.epoch
  where i.status = 'running'
), unlocked as (
  select i.organization_id, i.id from public.imports i
  join unnest(ids, epochs) as c (id, epoch) on i.id = c.id and i.epoch = c.epoch
  where i.status = 'running'
  for update of i skip locked
), renewed as (
  update public.imports i set lease_until = now() + make_interval(secs => lease_seconds)
  from unlocked where i.organization_id = unlocked.organization_id and i.id = unlocked.id
)
select claimed.id, claimed.organization_id, claimed.epoch from claimed
$$;
