-- Ends the leases of messages that this worker gives back, so that others can claim them at once.
--
-- Arguments:
--   ids, epochs  the claims, as two arrays of the same length. Claims that were lost are ignored.
-- Result: nothing.
-- Locks: the released rows. It waits for rows that others have locked.
create or replace function gate.release_messages(ids text[], epochs integer[]) returns void
language sql security definer
set search_path = pg_catalog, pg_temp as $$
update public.messages m set lease_until = null
from unnest(ids, epochs) as claimed (id, epoch)
where m.id = claimed.id and m.epoch = claimed.epoch and m.status in ('scheduled', 'queued', 'sending')
$$;
