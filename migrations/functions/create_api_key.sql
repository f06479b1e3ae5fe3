-- Creates the API key of an organization, revokes the previous one, and adds entries to the audit log.
--
-- Arguments:
--   for_organization_id  the organization
--   by_user_id           the signed-in person
--   new_id               the id of the new key
--   new_hash             the SHA-256 of the raw key
--   new_prefix, new_last_four  the parts of the raw key that people see
--   new_expires_at       the key is refused from this time on; null: it does not expire
--   new_read_only        true: the key may call only tools that change nothing
--   new_tools            the names of the tools that the key may call; null: every tool
--   origin               where the request came from: address, request_id and client; null: unknown
--   in_session           the digest of the session in which the person creates the key; null: in no session
-- Result: nothing. A person who is not a member of the organization is error 42501. A session that has ended is error
--   SB003.
-- Locks: the organization, so that two creations take turns; the session; the keys.
--
-- The function is in the gate, because SQL of a tool must not be able to create keys. Such SQL runs as the tenant role.
create or replace function gate.create_api_key(
  for_organization_id text,
  by_user_id text,
  new_id text,
  new_hash bytea,
  new_prefix text,
  new_last_four text,
  new_expires_at timestamptz,
  new_read_only boolean,
  new_tools text[],
  origin json default null,
  in_session text default null
) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  perform private.lock_for_member(for_organization_id, by_user_id);
  perform private.lock_session(in_session, by_user_id);
  update public.api_keys k set revoked_at = now()
  where k.organization_id = for_organization_id and k.revoked_at is null;
  insert into public.api_keys (organization_id, id, hash, prefix, last_four, created_by, expires_at, read_only, tools)
  values (for_organization_id, new_id, new_hash, new_prefix, new_last_four, by_user_id, new_expires_at,
    new_read_only, new_tools);
  perform private.write_audit(json_build_array(json_build_object('organization_id', for_organization_id,
    'actor_kind', 'user', 'actor_id', by_user_id, 'action', 'create_api_key', 'subject', new_id,
    'address', origin->>'address', 'request_id', origin->>'request_id', 'client', origin->>'client')));
end
$$;
