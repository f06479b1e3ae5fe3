-- Returns whether an organization has used up its quota of stored bytes.
--
-- Arguments: the organization.
-- Result: true or false.
-- Locks: none.
create or replace function private.has_used_bytes(of_organization_id text) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from private.quota_refusals) then
    return false;
  end if;
  begin
    perform private.refuse_over(of_organization_id, array['stored_bytes']);
  exception when sqlstate 'SB002' then
    return true;
  end;
  return false;
end
$$;
