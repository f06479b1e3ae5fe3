-- Finds an API key by the hash of the raw key, with the facts about its organization that a call needs.
--
-- Arguments:
--   key_hash  the SHA-256 of the raw key
-- Result: one row, or none. stale: last_used_at is older than a minute. policies: the tool policies, or null.
--   read_only and tools: what the key may call. revoked_at: the key was revoked at this time. expired_at: the key was
--   not revoked and has expired at this time. A key with either time must be refused. offered_revisions: the revisions
--   of all offered workflows that can be called, or null. Lists of tools are cached under this value.
-- Locks: none.
--
-- The function is PL/pgSQL, which keeps the plan. PostgreSQL plans a function in SQL for each call, and this planning
-- took three times as long as everything else.
create or replace function gate.find_api_key(key_hash bytea)
returns table (
  id text, organization_id text, stale boolean, policies jsonb, offered_revisions text,
  read_only boolean, tools text[], revoked_at timestamptz, expired_at timestamptz
)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp as $$
begin
  return query select k.id, k.organization_id, coalesce(k.last_used_at < now() - interval '1 minute', true), (
    select jsonb_agg(jsonb_build_object('tool', p.tool, 'hidden', p.hidden, 'confirmation', p.confirmation))
    from public.tool_policies p where p.organization_id = k.organization_id
  ), (
    select string_agg(o.revision, ' ' order by o.name)
    from public.offered_workflows o
    join public.workflows w on w.organization_id = o.organization_id and w.id = o.workflow_id
    where o.organization_id = k.organization_id and w.active and w.deleted_at is null
  ), k.read_only, k.tools, k.revoked_at,
    case when k.revoked_at is null and k.expires_at <= now() then k.expires_at end
  from public.api_keys k where k.hash = key_hash;
end
$$;
