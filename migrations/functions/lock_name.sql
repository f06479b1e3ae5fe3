-- Locks a name within the organization of the current transaction. Other transactions of the organization that lock the
-- same name wait until this transaction ends.
--
-- Arguments:
--   name    the name to lock
--   shared  true: other transactions may lock the name too, if they also pass true
-- Result: nothing. The 129th name of a transaction is error 54000 (program_limit_exceeded).
-- Locks: one advisory lock, until the transaction ends.
--
-- SQL of a tool can call this function. The key of the lock contains the organization, so such SQL cannot keep other
-- organizations waiting. A direct call of pg_advisory_xact_lock could: see session-safety.ts. All sessions of the server
-- share a table of about max_locks_per_transaction * max_connections locks. Without the largest number of names, one
-- statement could fill this table, and the writes of all organizations would fail.
--
-- switchboard_locks.keys has the keys that this transaction has locked. A rollback to a savepoint restores the setting
-- and releases the locks. session-safety.ts counts SQL that writes this setting as unsafe, like a direct call of
-- pg_advisory_xact_lock. Many names do not share a key: two of them that one transaction locks could cause a deadlock.
create or replace function public.lock_name(name text, shared boolean) returns void
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  most constant integer := 128;
  key constant bigint := hashtextextended(public.current_organization() || ' ' || name, 0);
  locked constant bigint[] := coalesce(nullif(current_setting('switchboard_locks.keys', true), ''), '{}');
  setting text;
begin
  if key <> all(locked) then
    if cardinality(locked) >= most then
      raise exception 'A transaction can lock at most % names.', most using errcode = 'program_limit_exceeded';
    end if;
    setting := set_config('switchboard_locks.keys', (locked || key)::text, true);
  end if;
  if shared then
    perform pg_advisory_xact_lock_shared(key);
  else
    perform pg_advisory_xact_lock(key);
  end if;
end
$$;
