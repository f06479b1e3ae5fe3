-- Stores a row for each organization that has or had a dynamic segment. The worker that compares the contacts of an
-- organization has a lease on its row.
create table public.segment_evaluations (
  organization_id text collate "C" not null
    constraint segment_evaluations_organization_id_fkey references public.organizations (id) on delete cascade,
  epoch integer not null default 0,
  lease_until timestamptz,
  -- The time of the last claim. The organization with the earliest time is claimed next.
  claimed_at timestamptz not null default 'epoch',
  constraint segment_evaluations_pkey primary key (organization_id)
);
select private.isolate('public.segment_evaluations', bookkeeping => true);
