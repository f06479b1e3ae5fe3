-- Ends the leases of messages that this worker gives back, so that other workers can claim them immediately.
--
-- Arguments:
--   ids, epochs  the claims, as two arrays of the same length. Claims that were lost are ignored.
-- Result: nothing.
-- Locks: the released rows. Rows that other transactions have locked are skipped; their leases end by themselves.
create or replace function gate.release_messages(ids text[], epochs integer[]) returns void
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with unlocked as (
  select m.organization_id, m.id from public.messages m
  join unnest(ids, epochs) as c (id, epoch) on m.id = c.id and m.epoch = c.epoch
  where m.status in ('scheduled', 'queued', 'held', 'sending')
  for update of m skip locked
)
update public.messages m set lease_until = null
from unlocked where m.organization_id = unlocked.organization_id and m.id = unlocked.id
$$;
