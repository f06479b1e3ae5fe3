-- If the organization has an API key, revokes it and adds an entry to the audit log.
--
-- Arguments:
--   for_organization_id  the organization
--   by_user_id           the signed-in person
--   origin               where the request came from: address, request_id and client; null: unknown
--   in_session           the digest of the session in which the person revokes the key; null: in no session
-- Result: the id of the revoked key; no row when there was none. A person who is not a member of the organization
--   is error 42501. A session that has ended is error SB003.
-- Locks: the organization; the session; the key.
create or replace function gate.revoke_api_key(
  for_organization_id text,
  by_user_id text,
  origin json default null,
  in_session text default null
) returns table (id text)
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  revoked_id text;
begin
  perform private.lock_for_member(for_organization_id, by_user_id);
  perform private.lock_session(in_session, by_user_id);
  update public.api_keys k set revoked_at = now()
  where k.organization_id = for_organization_id and k.revoked_at is null
  returning k.id into revoked_id;
  if revoked_id is null then
    return;
  end if;
  perform private.write_audit(json_build_array(json_build_object('organization_id', for_organization_id,
    'actor_kind', 'user', 'actor_id', by_user_id, 'action', 'revoke_api_key', 'subject', revoked_id,
    'address', origin->>'address', 'request_id', origin->>'request_id', 'client', origin->>'client')));
  return query select revoked_id;
end
$$;
