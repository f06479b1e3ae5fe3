-- Takes an amount from a quota of an organization. A rollback returns the amount.
--
-- Arguments:
--   of_organization_id  the organization
--   quota               the name of the quota
--   amount              how much to take
--   on_day              today in UTC for a daily quota, else 1970-01-01
-- Result: nothing. A quota that is used up is error SB002: its message names the quota, its detail is the name.
-- Locks: one block that no other transaction has locked. Once for each block, it waits for the counter.
create or replace function private.take_quota(of_organization_id text, quota text, amount bigint, on_day date)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  with unlocked as materialized (
    select b.block from private.quota_blocks b
    where b.organization_id = of_organization_id and b.name = quota and b.day = on_day and b.remaining >= amount
    limit 1 for no key update skip locked
  )
  update private.quota_blocks b set remaining = b.remaining - amount from unlocked
  where b.organization_id = of_organization_id and b.name = quota and b.block = unlocked.block;
  if not found then
    perform private.grant_quota(of_organization_id, quota, amount, on_day);
  end if;
end
$$;
