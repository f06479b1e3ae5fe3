-- Ends the claims of schedules that this worker gives back. Each schedule is due again after five seconds, or at its
-- next tick if that is later. Without the pause, the ticks of an organization that locks its own rows would be claimed
-- again and again.
--
-- Arguments:
--   ids, epochs  the claims, as two arrays of the same length. Claims that were lost are ignored.
-- Result: nothing.
-- Locks: the released rows. Rows that other transactions have locked are skipped.
create or replace function gate.release_schedules(ids text[], epochs integer[]) returns void
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with unlocked as (
  select s.organization_id, s.workflow_id from public.workflow_schedules s
  join unnest(ids, epochs) as c (id, epoch) on s.workflow_id = c.id and s.epoch = c.epoch
  for update of s skip locked
)
update public.workflow_schedules s set available_at = greatest(s.next_tick_at, now() + interval '5 seconds')
from unlocked where s.organization_id = unlocked.organization_id and s.workflow_id = unlocked.workflow_id
$$;
