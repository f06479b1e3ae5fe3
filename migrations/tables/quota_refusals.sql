-- Stores the measured quotas that organizations have used up. The table is almost always empty. Each INSERT of a
-- contact or a run looks for a row in it.
create table private.quota_refusals (
  organization_id text collate "C" not null
    constraint quota_refusals_organization_id_fkey references public.organizations (id) on delete cascade,
  name text collate "C" not null,
  -- The quota at the time when it was used up. A higher quota applies at once.
  amount bigint not null,
  constraint quota_refusals_pkey primary key (organization_id, name)
);
