-- Ends the claim of a retention rule and sets when it is due again.
--
-- Arguments:
--   of_organization, of_kind  the rule
--   claim                     the epoch of the claim. A claim that was lost is ignored.
--   again_seconds             the pause until the next purge
-- Result: nothing.
-- Locks: the rule.
create or replace function gate.finish_purge(
  of_organization text,
  of_kind text,
  claim integer,
  again_seconds integer
) returns void
language sql security definer
set search_path = pg_catalog, pg_temp as $$
update public.retention_rules r set available_at = now() + make_interval(secs => again_seconds)
where r.organization_id = of_organization and r.kind = of_kind and r.epoch = claim
$$;
