-- Locks a name within the organization of the current transaction. Other transactions of the organization that lock the
-- same name wait until this transaction ends.
--
-- Arguments:
--   name    the name to lock
--   shared  true: other transactions may lock the name too, if they also pass true
-- Result: nothing.
-- Locks: one advisory lock, until the transaction ends.
--
-- SQL of a tool can call this function. The key of the lock contains the organization, so such SQL cannot keep other
-- organizations waiting. A direct call of pg_advisory_xact_lock could: see session-safety.ts.
create or replace function public.lock_name(name text, shared boolean) returns void
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  key constant bigint := hashtextextended(public.current_organization() || ' ' || name, 0);
begin
  if shared then
    perform pg_advisory_xact_lock_shared(key);
  else
    perform pg_advisory_xact_lock(key);
  end if;
end
$$;
