-- Limits how long the later statements of this transaction wait for a lock.
--
-- Arguments:
--   milliseconds  at least 1 and at most 5000, which is the limit of every transaction
-- Result: nothing. A statement that waits longer fails with 55P03.
-- Locks: none.
--
-- PostgreSQL looks for deadlocks after a second. With a shorter limit, the statement fails earlier, and the transaction
-- can repeat it after a rollback to a savepoint.
create or replace function public.limit_lock_waits(milliseconds integer) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp as $$
begin
  perform set_config('lock_timeout', least(greatest(milliseconds, 1), 5000)::text, true);
end
$$;
