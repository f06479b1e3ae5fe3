-- Extends the leases of claimed messages.
--
-- Arguments:
--   ids, epochs    the claims, as two arrays of the same length
--   lease_seconds  how long the claims last from now
-- Result: the claims that this worker still has. Every claim that is not in the result was lost.
-- Locks: the renewed rows. Locked rows are not renewed, but are reported as kept: nobody else can claim them meanwhile.
--   If the function waited for rows of one organization, leases of other organizations would expire.
create or replace function gate.renew_messages(ids text[], epochs integer[], lease_seconds integer)
returns table (id text, organization_id text, epoch integer)
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with claimed as (
  select m.id, m.organization_id, m.epoch from unnest(ids, epochs) as c (id, epoch)
  join public.messages m on m.id = c.id and m.epoch = c.epoch
  where m.status in ('scheduled', 'queued', 'held', 'sending')
), unlocked as (
  select m.organization_id, m.id from public.messages m
  join unnest(ids, epochs) as c (id, epoch) on m.id = c.id and m.epoch = c.epoch
  where m.status in ('scheduled', 'queued', 'held', 'sending')
  for update of m skip locked
), renewed as (
  update public.messages m set lease_until = now() + make_interval(secs => lease_seconds)
  from unlocked where m.organization_id = unlocked.organization_id and m.id = unlocked.id
)
select claimed.id, claimed.organization_id, claimed.epoch from claimed
$$;
