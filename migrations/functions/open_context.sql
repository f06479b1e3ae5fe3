-- Binds the current transaction to an organization, after checking that the service signed it.
--
-- Arguments:
--   organization  the organization's id
--   signature     HMAC-SHA256 of "<organization id>.<process id of this session>", hexadecimal
-- Result: nothing. It sets switchboard.context for this transaction. A wrong signature is error 42501.
-- Locks: none.
--
-- The service passes the signature as a bound parameter, which no SQL can read. The context that SQL can read is
-- another signature, over the time at which the transaction began: it is worthless in every other transaction.
-- current_organization() checks that signature at each use, so set_config() alone has no effect. The tenant role cannot
-- read the key, which is in private.installation.
-- HMAC (RFC 2104) is built from sha256() so that no extension is needed. One query computes both signatures, because
-- each call of another function or query costs more than the hashes.
create or replace function public.open_context(organization text, signature text) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp as $$
declare
  signed constant bytea := convert_to(organization || '.' || pg_backend_pid(), 'UTF8');
  bound constant bytea := signed || '.' || timestamptz_send(transaction_timestamp());
  expected text;
  context text;
begin
  select encode(sha256(i.outer_key || sha256(i.inner_key || signed)), 'hex'),
    organization || '.' || encode(sha256(i.outer_key || sha256(i.inner_key || bound)), 'hex')
  into expected, context from private.installation i;
  if signature is distinct from expected or expected is null then
    raise exception 'The organization was not signed by the service.' using errcode = '42501';
  end if;
  context := set_config('switchboard.context', context, true);
end
$$;
