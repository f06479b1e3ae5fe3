-- Stores the next tick of each active workflow that has a schedule. A worker claims a tick in its row.
create table public.workflow_schedules (
  organization_id text collate "C" not null
    constraint workflow_schedules_organization_id_fkey references public.organizations (id) on delete cascade,
  workflow_id text collate "C" not null,
  next_tick_at timestamptz not null,
  -- From this time on, a worker may claim the tick. The value is the time of the tick or, after a claim, the end of
  -- the lease.
  available_at timestamptz not null,
  epoch integer not null default 0,
  constraint workflow_schedules_pkey primary key (organization_id, workflow_id),
  constraint workflow_schedules_workflow_id_fkey foreign key (organization_id, workflow_id)
    references public.workflows (organization_id, id) on delete cascade
);
create index workflow_schedules_due_idx on public.workflow_schedules (available_at);
select private.isolate('public.workflow_schedules');
