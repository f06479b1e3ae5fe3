-- Deletes full token buckets, and known addresses from which nobody signed in for 90 days. When more buckets remain
-- than the allowed number, the function also deletes the buckets that will be full soonest. A bucket without a row
-- counts as full, so the loss of these rows changes least.
--
-- Arguments: the largest number of buckets to keep.
-- Result: nothing.
-- Locks: the deleted rows. Rows that other transactions have locked are skipped.
create or replace function gate.purge_token_buckets(most_buckets integer) returns void
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with full_again as materialized (
  select b.id from gate.token_buckets b where b.full_at <= now() for update skip locked
)
delete from gate.token_buckets b using full_again where b.id = full_again.id;
with surplus as materialized (
  select b.id from gate.token_buckets b order by b.full_at
  limit greatest((select count(*) from gate.token_buckets) - most_buckets, 0) for update skip locked
)
delete from gate.token_buckets b using surplus where b.id = surplus.id;
with unused as materialized (
  select k.user_id, k.network from gate.known_addresses k
  where k.used_at < now() - interval '90 days' for update skip locked
)
delete from gate.known_addresses k using unused
where k.user_id = unused.user_id and k.network = unused.network;
$$;
