-- Returns whether the service signed a text for a purpose.
--
-- Arguments:
--   purpose    the purpose; it contains a space, so that no signature of a tenant context is accepted
--   message    the text
--   signature  HMAC-SHA256 of "<purpose>:<text>" with the key of tenant contexts, hexadecimal
-- Result: true or false.
-- Locks: none.
--
-- All organizations share the tenant role, and SQL of a tool runs as this role. Some functions are only for code of the
-- service, although this role may call them. Such a function checks a signature, which the service passes as a bound
-- parameter. SQL cannot read bound parameters.
create or replace function private.is_signed(purpose text, message text, signature text) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp as $$
declare
  signed constant bytea := convert_to(purpose || ':' || message, 'UTF8');
  expected text;
begin
  select encode(sha256(i.outer_key || sha256(i.inner_key || signed)), 'hex') into expected from private.installation i;
  return coalesce(signature = expected, false);
end
$$;
