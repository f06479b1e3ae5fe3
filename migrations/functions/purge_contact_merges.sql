-- Removes the data with which one batch of merges can be undone. The ids of the merged contacts stay usable.
--
-- Arguments:
--   keep_days   merges that are older can no longer be undone
--   batch_size  the largest number of merges
-- Result: how many merges were changed.
-- Locks: the changed rows. Rows that other transactions have locked are skipped.
create or replace function gate.purge_contact_merges(keep_days integer, batch_size integer) returns integer
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with expired as materialized (
  select m.organization_id, m.merged_id from public.contact_merges m
  where m.undo is not null and m.merged_at < now() - make_interval(days => keep_days)
  order by m.merged_at limit batch_size for update skip locked
), emptied as (
  update public.contact_merges m set undo = null, moved = null
  from expired where m.organization_id = expired.organization_id and m.merged_id = expired.merged_id
  returning 1
)
select count(*)::integer from emptied
$$;
