-- Stores that an API key was used now, and from where. Callers do this once a minute at most, so that most calls
-- write nothing.
--
-- Arguments:
--   key_organization_id, key_id  the key
--   by_address  the address of the caller
--   by_agent    the User-Agent
--   by_client   name and version of the MCP client. Only some requests contain these. So the stored name and version
--               stay while requests have the same User-Agent.
--   When all three are null, only the time is stored.
-- Result: nothing.
-- Locks: the key's row.
create or replace function gate.touch_api_key(
  key_organization_id text,
  key_id text,
  by_address text,
  by_agent text,
  by_client text
) returns void
language sql security definer
set search_path = pg_catalog, pg_temp as $$
update public.api_keys k set
  last_used_at = now(),
  last_used_address = coalesce(by_address, k.last_used_address),
  last_used_agent = case when by_address is null then k.last_used_agent else by_agent end,
  last_used_client = coalesce(
    by_client,
    case when by_address is null or k.last_used_agent is not distinct from by_agent then k.last_used_client end
  )
where k.organization_id = key_organization_id and k.id = key_id
$$;
