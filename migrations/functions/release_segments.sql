-- Ends the leases of organizations that this worker gives back, so that other workers can claim them immediately.
--
-- Arguments:
--   ids, epochs  the claims, as two arrays of the same length. Claims that were lost are ignored.
-- Result: nothing.
-- Locks: the released rows. Rows that other transactions have locked are skipped; their leases end by themselves.
create or replace function gate.release_segments(ids text[], epochs integer[]) returns void
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with unlocked as (
  select e.organization_id from public.segment_evaluations e
  join unnest(ids, epochs) as c (id, epoch) on e.organization_id = c.id and e.epoch = c.epoch
  for update of e skip locked
)
update public.segment_evaluations e set lease_until = null
from unlocked where e.organization_id = unlocked.organization_id
$$;
