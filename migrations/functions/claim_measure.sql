-- Claims one organization that is due for a measurement.
--
-- Arguments:
--   lease_seconds  how long the claim lasts. After this time another worker can claim the organization.
-- Result: the organization's id, or no row.
-- Locks: the claimed row. Rows that other transactions have locked are skipped.
create or replace function gate.claim_measure(lease_seconds integer) returns table (organization_id text)
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with due as materialized (
  select m.organization_id from private.quota_measures m
  where m.due_at <= now() order by m.due_at limit 1 for no key update skip locked
)
update private.quota_measures m set
  active = false, due_at = now() + make_interval(secs => lease_seconds),
  next_at = now() + make_interval(secs => lease_seconds)
from due where m.organization_id = due.organization_id
returning m.organization_id
$$;
