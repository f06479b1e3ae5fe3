-- Stores that an API key was used now. Callers do this once a minute at most, so that most calls write nothing.
--
-- Arguments: the organization and the id of the key.
-- Result: nothing.
-- Locks: the key's row.
create or replace function gate.touch_api_key(key_organization_id text, key_id text) returns void
language sql security definer
set search_path = pg_catalog, pg_temp as $$
update public.api_keys set last_used_at = now()
where organization_id = key_organization_id and id = key_id
$$;
