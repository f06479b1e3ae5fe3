-- Returns HMAC-SHA256 (RFC 2104) of a text with the key of this installation, hexadecimal.
--
-- Arguments:
--   message  the text
-- Result: 64 hexadecimal digits. Only functions of the owner can call it.
-- Locks: none.
--
-- It is built from sha256() so that no extension is needed. The two padded keys are stored ready for use.
create or replace function private.sign(message text) returns text
language sql stable
set search_path = pg_catalog, pg_temp as $$
  select encode(sha256(outer_key || sha256(inner_key || convert_to(message, 'UTF8'))), 'hex') from private.installation
$$;
