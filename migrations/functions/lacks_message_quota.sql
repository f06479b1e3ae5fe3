-- Returns whether the current organization has used up its messages of today or its stored bytes.
--
-- Arguments: none.
-- Result: true when the next message would be refused.
-- Locks: none.
--
-- The function runs as the owner, because the role of tenants cannot read quotas.
create or replace function public.lacks_message_quota() returns boolean
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp as $$
declare
  organization constant text := public.current_organization();
  today constant date := (now() at time zone 'UTC')::date;
  most bigint;
  used bigint;
begin
  begin
    perform private.refuse_over(organization, array['stored_bytes']);
  exception when sqlstate 'SB002' then
    return true;
  end;
  select coalesce(e.amount, d.amount) into most
  from private.quota_defaults d
  left join private.quota_exceptions e on e.name = d.name and e.organization_id = organization
  where d.name = 'messages';
  if most is null then return false; end if;
  select coalesce((
      select g.granted from private.quota_grants g
      where g.organization_id = organization and g.name = 'messages' and g.day = today), 0)
    - coalesce((
      select sum(b.remaining) from private.quota_blocks b
      where b.organization_id = organization and b.name = 'messages' and b.day = today), 0) into used;
  return used >= most;
end
$$;
