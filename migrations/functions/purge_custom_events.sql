-- Deletes one batch of old rows of the list of emitted events.
--
-- Arguments:
--   keep_days   rows that are older are deleted
--   batch_size  the largest number of rows to delete
-- Result: how many rows were deleted.
-- Locks: the deleted rows. Rows that other transactions have locked are skipped.
--
-- Each organization keeps its newest 10,000 rows, unless they are older than keep_days.
create or replace function gate.purge_custom_events(keep_days integer, batch_size integer) returns integer
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with newest as materialized (
  select o.id as organization_id, last.emitted_at, last.id
  from public.organizations o
  left join lateral (
    select n.emitted_at, n.id from public.custom_events n where n.organization_id = o.id
    order by n.emitted_at desc, n.id desc offset 10000 limit 1
  ) last on true
), deleted as (
  with expired as materialized (
    select e.organization_id, e.id
    from newest
    join public.custom_events e on e.organization_id = newest.organization_id
      and (e.emitted_at < now() - make_interval(days => keep_days)
        or (e.emitted_at, e.id) <= (newest.emitted_at, newest.id))
    limit batch_size for update of e skip locked
  ) delete from public.custom_events d using expired
  where d.organization_id = expired.organization_id and d.id = expired.id
  returning 1
)
select count(*)::integer from deleted
$$;
