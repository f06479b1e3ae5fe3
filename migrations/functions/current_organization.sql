-- Returns the organization of the current transaction, after checking that open_context() bound it.
--
-- Arguments: none. It reads the setting switchboard.context, "<organization id>.<signature>".
-- Result: the organization's id, or null without a context. A wrong signature is error 42501.
-- Locks: none.
--
-- The signed text contains the process id of the session and the time at which the transaction began. So a
-- context that leaks is worthless in another session, and in another transaction of this one.
create or replace function public.current_organization() returns text
language plpgsql stable security definer parallel restricted
set search_path = pg_catalog, pg_temp as $$
declare
  context text := current_setting('switchboard.context', true);
  organization text;
begin
  if context is null or context = '' then
    return null;
  end if;
  organization := split_part(context, '.', 1);
  if context <> organization || '.' || private.sign(
    organization || '.' || pg_backend_pid() || '.' || extract(epoch from transaction_timestamp())) then
    raise exception 'The tenant context was not signed by the service.' using errcode = '42501';
  end if;
  return organization;
end
$$;
