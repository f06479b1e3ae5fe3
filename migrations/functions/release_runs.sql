-- Puts claimed runs back into the queue when a worker stops. The status of these runs becomes `queued`, so the next
-- claim does not count a crash.
--
-- Arguments:
--   ids, epochs  the claims, as two arrays of the same length. Claims that were lost are ignored.
-- Result: nothing.
-- Locks: the released rows. Rows that other transactions have locked are skipped.
create or replace function gate.release_runs(ids text[], epochs integer[]) returns void
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with unlocked as (
  select r.id from public.workflow_runs r
  join unnest(ids, epochs) as c (id, epoch) on r.id = c.id and r.epoch = c.epoch
  where r.status = 'running'
  for update of r skip locked
)
update public.workflow_runs r set status = 'queued', available_at = now()
from unlocked where r.id = unlocked.id
$$;
