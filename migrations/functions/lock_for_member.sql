-- Locks an organization for a change that one of its members makes.
--
-- Arguments:
--   in_organization_id  the organization
--   for_user_id         the person
-- Result: nothing. A person who is not a member of the organization is error 42501.
-- Locks: the organization, until the transaction ends. Rows that refer to it can still be inserted.
--
-- A slow transaction of a tool can have this lock. Callers use one of few connections, so they wait for one second
-- only.
create or replace function private.lock_for_member(in_organization_id text, for_user_id text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set lock_timeout = '1s' as $$
begin
  perform from public.organizations o where o.id = in_organization_id for no key update;
  perform from public.memberships m where m.organization_id = in_organization_id and m.user_id = for_user_id;
  if not found then
    raise exception 'The person is not a member of the organization.' using errcode = '42501';
  end if;
end
$$;
