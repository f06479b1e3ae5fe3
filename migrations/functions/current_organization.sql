-- Returns the organization of the current transaction, after checking that open_context() bound it.
--
-- Arguments: none. It reads the setting switchboard.context, "<organization id>.<signature>".
-- Result: the organization's id, or null without a context. A wrong signature is error 42501.
-- Locks: none.
--
-- The role of tools can write the setting but cannot sign it: it may not read private.installation, which has the key.
-- The signed bytes contain the process id of the session and the time at which the transaction began. So a context that
-- leaks is worthless in another session, and in another transaction of this session. The signed time is binary and
-- contains a zero byte. open_context() accepts signatures of texts, which contain no zero byte. So open_context() never
-- accepts the signature of a transaction.
create or replace function public.current_organization() returns text
language plpgsql stable security definer parallel restricted
set search_path = pg_catalog, pg_temp as $$
declare
  context constant text := current_setting('switchboard.context', true);
  organization constant text := split_part(context, '.', 1);
  bound bytea;
  expected text;
begin
  if context is null or context = '' then
    return null;
  end if;
  bound := convert_to(organization || '.' || pg_backend_pid() || '.', 'UTF8')
    || timestamptz_send(transaction_timestamp());
  select organization || '.' || encode(sha256(i.outer_key || sha256(i.inner_key || bound)), 'hex')
  into expected from private.installation i;
  if context is distinct from expected then
    raise exception 'The tenant context was not signed by the service.' using errcode = '42501';
  end if;
  return organization;
end
$$;
