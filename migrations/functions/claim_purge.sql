-- Claims one retention rule that is due: raises its epoch and starts the lease.
--
-- Arguments:
--   lease_seconds  how long the claim lasts without renewal
-- Result: the rule, or no row.
-- Locks: the rule. Rules that other transactions have locked are skipped.
--
-- lease_runs.sql says why the epochs begin again after the largest integer.
create or replace function gate.claim_purge(lease_seconds integer)
returns table (organization_id text, kind text, epoch integer)
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with due as materialized (
  select r.organization_id, r.kind from public.retention_rules r
  where r.available_at <= now() order by r.available_at limit 1 for update skip locked
)
update public.retention_rules r set
  epoch = r.epoch % 2147483647 + 1, available_at = now() + make_interval(secs => lease_seconds)
from due where r.organization_id = due.organization_id and r.kind = due.kind
returning r.organization_id, r.kind, r.epoch
$$;
