-- Stores the quotas with their defaults, which apply to organizations without an exception. The counter of a quota
-- consists of two tables: see quota_blocks.
create table private.quota_defaults (
  name text collate "C" constraint quota_defaults_pkey primary key,
  -- Null means that there is no limit and nothing is counted.
  amount bigint constraint quota_defaults_amount_check check (amount >= 0),
  -- True means that the quota is for one day in UTC.
  daily boolean not null
);
insert into private.quota_defaults (name, amount, daily) values
  ('messages', null, true),
  ('workflows', 1000, false),
  ('versions', 100000, false);
