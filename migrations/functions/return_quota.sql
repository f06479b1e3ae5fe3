-- Gives back an amount that was taken from a quota that is not daily.
--
-- Arguments: the organization, the name of the quota and the amount.
-- Result: nothing.
-- Locks: one block that no other transaction has locked, or else the counter.
create or replace function private.return_quota(of_organization_id text, quota text, amount bigint) returns void
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  free integer;
begin
  select b.block into free from private.quota_blocks b
  where b.organization_id = of_organization_id and b.name = quota
  limit 1 for no key update skip locked;
  if free is null then
    update private.quota_grants g set granted = g.granted - amount
    where g.organization_id = of_organization_id and g.name = quota;
    return;
  end if;
  update private.quota_blocks b set remaining = b.remaining + amount
  where b.organization_id = of_organization_id and b.name = quota and b.block = free;
end
$$;
