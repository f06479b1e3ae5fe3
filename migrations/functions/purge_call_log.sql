-- Deletes one batch of old rows of the log of calls.
--
-- Arguments:
--   keep_days   rows that are older are deleted
--   batch_size  the largest number of rows to delete
-- Result: how many rows were deleted.
-- Locks: the deleted rows. Rows that other transactions have locked are skipped.
create or replace function gate.purge_call_log(keep_days integer, batch_size integer) returns integer
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with deleted as (
  with expired as materialized (
    select c.ctid from public.call_log c
    where c.at < now() - make_interval(days => keep_days)
    order by c.at limit batch_size for update skip locked
  ) delete from public.call_log d using expired where d.ctid = expired.ctid
  returning 1
)
select count(*)::integer from deleted
$$;
