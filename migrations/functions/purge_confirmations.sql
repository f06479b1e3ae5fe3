-- Deletes one batch of old confirmations. Small batches keep every delete short.
--
-- Arguments:
--   keep_days   answered confirmations are deleted this many days after they expired, unanswered ones one day after
--   batch_size  the largest number of confirmations to delete
-- Result: how many confirmations were deleted.
-- Locks: the deleted rows. Rows that other transactions have locked are skipped.
--
-- An agent can create confirmations without a person, so unanswered confirmations are not kept long.
create or replace function gate.purge_confirmations(keep_days integer, batch_size integer)
returns integer
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with deleted as (
  with expired as materialized (
    select c.ctid from public.confirmations c
    where c.expires_at < now() - make_interval(days => case c.state when 'pending' then 1 else keep_days end)
    order by c.expires_at limit batch_size for update skip locked
  ) delete from public.confirmations d using expired where d.ctid = expired.ctid
  returning 1
)
select count(*)::integer from deleted
$$;
