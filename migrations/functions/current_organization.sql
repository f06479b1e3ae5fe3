-- Returns the organization of the current transaction, after checking that the service signed it.
--
-- Arguments: none. It reads the setting switchboard.context, "<organization id>.<signature>".
-- Result: the organization's id, or null without a context. A wrong signature is error 42501.
-- Locks: none.
--
-- The signature is HMAC-SHA256 (RFC 2104), built from sha256() so that no extension is needed. The two padded
-- keys are stored ready for use. The signed text contains the process id of the session, so a context that
-- leaks from one session is worthless in another. The service sends it as a bound parameter, which no other
-- session can read.
create or replace function public.current_organization() returns text
language plpgsql stable security definer parallel restricted
set search_path = pg_catalog, pg_temp as $$
declare
  context text := current_setting('switchboard.context', true);
  organization text;
  expected text;
  keys record;
begin
  if context is null or context = '' then
    return null;
  end if;
  organization := split_part(context, '.', 1);
  select inner_key, outer_key into strict keys from private.installation;
  expected := encode(sha256(keys.outer_key || sha256(keys.inner_key ||
    convert_to(organization || '.' || pg_backend_pid(), 'UTF8'))), 'hex');
  if context <> organization || '.' || expected then
    raise exception 'The tenant context was not signed by the service.' using errcode = '42501';
  end if;
  return organization;
end
$$;
