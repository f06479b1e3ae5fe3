-- Stores the token buckets that guard credentials. All processes share these buckets. A bucket without a row is full,
-- so a lost row does little harm. Therefore the table is not logged, and its changes need not wait for the disk.
create table gate.token_buckets (
  -- The SHA-256 of what the bucket counts, so that no e-mail address is stored.
  id bytea constraint token_buckets_pkey primary key,
  -- The bucket has all its tokens again at this time. Then the row has no effect.
  full_at timestamptz not null
);
alter table gate.token_buckets set unlogged;
create index token_buckets_full_at_idx on gate.token_buckets (full_at);
