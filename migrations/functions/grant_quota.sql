-- Hands out another block of a quota and takes an amount from it.
--
-- Arguments: those of private.take_quota.
-- Result: nothing. A quota that is used up is error SB002.
-- Locks: the counter of the quota, until the transaction ends; blocks that no other transaction has locked.
--
-- A transaction that began before midnight can come here after the counter has changed to the next day. Its amount then
-- counts for the next day. Without this, it would set the counter back, and each such transaction would free the quota
-- again. A counter that is further ahead was set by a wrong clock, so it changes back to `on_day`.
--
-- Near the limit of the quota, new blocks are small, and the remaining amounts of unlocked blocks are collected first.
-- So a transaction is refused only when transactions that are still running have locked the rest of the quota.
create or replace function private.grant_quota(of_organization_id text, quota text, amount bigint, on_day date)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  allowed bigint;
  counter record;
  before bigint;
  total bigint;
  spare bigint;
  free integer;
begin
  select coalesce(e.amount, d.amount) into strict allowed
  from private.quota_defaults d
  left join private.quota_exceptions e on e.name = d.name and e.organization_id = of_organization_id
  where d.name = quota;
  -- An operator removed the limit after the caller had read it.
  if allowed is null then
    return;
  end if;
  insert into private.quota_grants (organization_id, name, day, granted)
  values (of_organization_id, quota, on_day, 0) on conflict do nothing;
  select g.day, g.granted into strict counter from private.quota_grants g
  where g.organization_id = of_organization_id and g.name = quota for no key update;
  if counter.day = on_day + 1 then
    on_day := counter.day;
  end if;
  total := case when counter.day = on_day then counter.granted else 0 end;
  before := total;
  if allowed - total < amount then
    with unlocked as (
      select b.block, b.remaining from private.quota_blocks b
      where b.organization_id = of_organization_id and b.name = quota and b.day = on_day and b.remaining > 0
      for no key update skip locked
    ), emptied as (
      update private.quota_blocks b set remaining = 0 from unlocked u
      where b.organization_id = of_organization_id and b.name = quota and b.block = u.block
      returning u.remaining
    )
    select total - coalesce(sum(e.remaining), 0) into total from emptied e;
  end if;
  if allowed - total < amount then
    raise exception 'The organization has used its quota of % %.', allowed, quota
      using errcode = 'SB002', detail = quota;
  end if;
  spare := least(1000, (allowed - total - amount) / 16);
  update private.quota_grants g set day = on_day, granted = total + amount + spare
  where g.organization_id = of_organization_id and g.name = quota;
  -- People see this entry in the audit log.
  if before < allowed * 0.8 and total + amount + spare >= allowed * 0.8 then
    perform private.write_audit(json_build_array(json_build_object('organization_id', of_organization_id,
      'actor_kind', 'system', 'actor_id', 'quotas', 'action', 'quota_80_percent', 'subject', quota)));
  end if;
  select b.block into free from private.quota_blocks b
  where b.organization_id = of_organization_id and b.name = quota and (b.day < on_day or b.remaining = 0)
  limit 1 for no key update skip locked;
  if free is null then
    insert into private.quota_blocks (organization_id, name, block, day, remaining)
    select of_organization_id, quota, coalesce(max(b.block), 0) + 1, on_day, spare from private.quota_blocks b
    where b.organization_id = of_organization_id and b.name = quota;
    return;
  end if;
  update private.quota_blocks b set day = on_day, remaining = spare
  where b.organization_id = of_organization_id and b.name = quota and b.block = free;
end
$$;
