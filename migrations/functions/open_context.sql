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
create or replace function public.open_context(organization text, signature text) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp as $$
begin
  if signature is distinct from private.sign(organization || '.' || pg_backend_pid()) then
    raise exception 'The organization was not signed by the service.' using errcode = '42501';
  end if;
  perform set_config('switchboard.context', organization || '.' || private.sign(
    organization || '.' || pg_backend_pid() || '.' || extract(epoch from transaction_timestamp())), true);
end
$$;
