-- Revokes the API key of an organization, if it has one, and writes it to the audit log.
--
-- Arguments:
--   for_organization_id  the organization
--   by_user_id           the signed-in person
-- Result: the id of the revoked key; no row when there was none. A person who is no member of the organization
--   is error 42501.
-- Locks: the organization; the key.
create or replace function gate.revoke_api_key(for_organization_id text, by_user_id text)
returns table (id text)
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  perform private.lock_for_member(for_organization_id, by_user_id);
  return query
    with revoked as (
      update public.api_keys k set revoked_at = now()
      where k.organization_id = for_organization_id and k.revoked_at is null
      returning k.id
    ), audited as (
      insert into public.audit_log (organization_id, actor_kind, actor_id, action, subject)
      select for_organization_id, 'user', by_user_id, 'revoke_api_key', r.id from revoked r
    )
    select r.id from revoked r;
end
$$;
