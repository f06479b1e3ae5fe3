-- Makes organizations due for a measurement as soon as the pause after their last measurement has ended.
--
-- Arguments: the ids of organizations with a committed transaction that may have written something.
-- Result: nothing. An unknown id is ignored.
-- Locks: the rows of these organizations in private.quota_measures, in the order of their ids.
create or replace function gate.mark_active(organizations text[]) returns void
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with locked as materialized (
  select m.organization_id from private.quota_measures m
  where m.organization_id = any(organizations) and (not m.active or m.due_at > m.next_at)
  order by m.organization_id for no key update
)
update private.quota_measures m set active = true, due_at = least(m.due_at, m.next_at)
from locked where m.organization_id = locked.organization_id;
$$;
