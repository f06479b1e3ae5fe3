-- Stores how much of each measured quota an organization used at the last measurement.
create table private.quota_usage (
  organization_id text collate "C" not null
    constraint quota_usage_organization_id_fkey references public.organizations (id) on delete cascade,
  name text collate "C" not null
    constraint quota_usage_name_fkey references private.quota_defaults (name),
  used bigint not null,
  measured_at timestamptz not null default now(),
  -- Becomes true at 80 % of the quota, and false again below 70 %. So the audit log gets one entry and not one for each
  -- measurement.
  warned boolean not null,
  constraint quota_usage_pkey primary key (organization_id, name)
) with (fillfactor = 70);
