-- Ends the claims of domain events that this worker gives back, so that other workers can claim them immediately.
--
-- Arguments:
--   ids, epochs  the claims, as two arrays of the same length. Claims that were lost are ignored.
-- Result: nothing.
-- Locks: the released rows. Rows that other transactions have locked are skipped.
create or replace function gate.release_events(ids text[], epochs integer[]) returns void
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with unlocked as (
  select e.organization_id, e.id from public.pending_events e
  join unnest(ids, epochs) as c (id, epoch) on e.id = c.id and e.epoch = c.epoch
  for update of e skip locked
)
update public.pending_events e set available_at = now()
from unlocked where e.organization_id = unlocked.organization_id and e.id = unlocked.id
$$;
