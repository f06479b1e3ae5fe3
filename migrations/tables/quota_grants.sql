-- Stores how much of a quota was handed out in blocks. used = granted - sum(remaining) of the blocks.
create table private.quota_grants (
  organization_id text collate "C" not null
    constraint quota_grants_organization_id_fkey references public.organizations (id) on delete cascade,
  name text collate "C" not null,
  -- The day of a daily quota, else 1970-01-01.
  day date not null,
  granted bigint not null,
  constraint quota_grants_pkey primary key (organization_id, name)
);
