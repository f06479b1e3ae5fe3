-- Stores when the stored data of each organization is measured next. See gate.measure_quotas.
create table private.quota_measures (
  organization_id text collate "C"
    constraint quota_measures_pkey primary key
    constraint quota_measures_organization_id_fkey references public.organizations (id) on delete cascade,
  -- A worker may measure from this time on: the time of the next measurement, or the end of a lease.
  due_at timestamptz not null default now(),
  -- The organization is measured at this time if it has written something since the last measurement. Otherwise it is
  -- measured an hour later.
  next_at timestamptz not null default now(),
  -- True when the organization has written since the last measurement began.
  active boolean not null default true
) with (fillfactor = 70);
create index quota_measures_due_idx on private.quota_measures (due_at);
