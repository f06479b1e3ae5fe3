-- Stores the unused part of each block of a quota. Each transaction subtracts its amount from a block that is not
-- locked by another transaction. So writes of one organization do not wait for each other.
create table private.quota_blocks (
  organization_id text collate "C" not null
    constraint quota_blocks_organization_id_fkey references public.organizations (id) on delete cascade,
  name text collate "C" not null,
  block integer not null,
  day date not null,
  remaining bigint not null constraint quota_blocks_remaining_check check (remaining >= 0),
  constraint quota_blocks_pkey primary key (organization_id, name, block)
) with (fillfactor = 50);
