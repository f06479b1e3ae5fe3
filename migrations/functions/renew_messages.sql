-- Extends the leases of claimed messages.
--
-- Arguments:
--   ids, epochs    the claims, as two arrays of the same length
--   lease_seconds  how long the claims last from now
-- Result: the claims that this worker still has. Those that are missing were lost.
-- Locks: the renewed rows. It waits for rows that others have locked.
create or replace function gate.renew_messages(ids text[], epochs integer[], lease_seconds integer)
returns table (id text, organization_id text, epoch integer)
language sql security definer
set search_path = pg_catalog, pg_temp as $$
update public.messages m set lease_until = now() + make_interval(secs => lease_seconds)
from unnest(ids, epochs) as claimed (id, epoch)
where m.id = claimed.id and m.epoch = claimed.epoch and m.status in ('scheduled', 'queued', 'sending')
returning m.id, m.organization_id, m.epoch
$$;
