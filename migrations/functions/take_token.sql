-- Takes one token from a bucket that all processes share. CredentialLimits refuses the request when the bucket is
-- empty.
--
-- Arguments:
--   bucket          what the bucket counts
--   capacity        the tokens of a full bucket
--   refill_seconds  an empty bucket is full again after this time
-- Result: 0 when a token was taken. Otherwise the seconds until the bucket has a token again.
-- Locks: the row of the bucket.
--
-- A bucket is stored as the time at which it is full again, and each token moves this time (the generic cell rate
-- algorithm). So one timestamp is enough.
create or replace function gate.take_token(bucket text, capacity integer, refill_seconds double precision)
returns double precision
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  bucket_id constant bytea := sha256(convert_to(bucket, 'UTF8'));
  this_time constant timestamptz := clock_timestamp();
  per_token constant interval := make_interval(secs => refill_seconds / capacity);
  latest constant timestamptz := this_time + make_interval(secs => refill_seconds);
begin
  insert into gate.token_buckets as b (id, full_at) values (bucket_id, this_time + per_token)
  on conflict (id) do update set full_at = greatest(b.full_at, this_time) + per_token
    where greatest(b.full_at, this_time) + per_token <= latest;
  if found then
    return 0;
  end if;
  return (
    select greatest(extract(epoch from b.full_at + per_token - latest), 0.001)
    from gate.token_buckets b where b.id = bucket_id
  );
end
$$;
