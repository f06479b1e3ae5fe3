-- Takes one token from a bucket that all processes share. When the bucket is empty, reserves a token that will exist
-- later. So many waiting callers get different times, and no caller needs to ask again.
--
-- Arguments:
--   bucket          what the bucket counts
--   capacity        the tokens of a full bucket
--   refill_seconds  an empty bucket is full again after this time
-- Result: the seconds until the token that was taken exists; 0 when it exists already.
-- Locks: the row of the bucket.
create or replace function gate.reserve_token(bucket text, capacity integer, refill_seconds double precision)
returns double precision
language sql security definer
set search_path = pg_catalog, pg_temp as $$
insert into gate.token_buckets as b (id, full_at)
values (sha256(convert_to(bucket, 'UTF8')), clock_timestamp() + make_interval(secs => refill_seconds / capacity))
on conflict (id) do update set full_at =
  greatest(b.full_at, clock_timestamp()) + make_interval(secs => refill_seconds / capacity)
returning greatest(extract(epoch from b.full_at - clock_timestamp()) - refill_seconds, 0)
$$;
