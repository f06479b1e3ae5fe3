-- Ends the leases of imports that this worker gives back, so that other workers can claim them immediately.
--
-- Arguments:
--   ids, epochs  the claims, as two arrays of the same length. Claims that were lost are ignored.
-- Result: nothing.
-- Locks: the released rows. Rows that other transactions have locked are skipped; their leases end by themselves.
--
-- An import that is given back has not failed, so the claim is not counted.
create or replace function gate.release_imports(ids text[], epochs integer[]) returns void
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with unlocked as (
  select i.organization_id, i.id from public.imports i
  join unnest(ids, epochs) as c (id, epoch) on i.id = c.id and i.epoch = c.epoch
  where i.status = 'running'
  for update of i skip locked
)
update public.imports i set lease_until = null, attempts = greatest(1, i.attempts) - 1
from unlocked where i.organization_id = unlocked.organization_id and i.id = unlocked.id
$$;
