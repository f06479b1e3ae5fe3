-- Deletes one batch of expired idempotency keys. Small batches keep every delete short.
--
-- Arguments:
--   keep_days   keys that are older are deleted
--   batch_size  the largest number of keys to delete
-- Result: how many keys were deleted.
-- Locks: the deleted rows. Rows that other transactions have locked are skipped.
create or replace function gate.purge_idempotency_keys(keep_days integer, batch_size integer)
returns integer
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with deleted as (
  with expired as materialized (
    select i.ctid from public.idempotency_keys i
    where i.created_at < now() - make_interval(days => keep_days)
    order by i.created_at limit batch_size for update skip locked
  ) delete from public.idempotency_keys k using expired where k.ctid = expired.ctid
  returning 1
)
select count(*)::integer from deleted
$$;
