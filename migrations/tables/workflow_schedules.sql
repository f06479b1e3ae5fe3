-- Stores the next tick of each active workflow with a schedule, and the claims of workers on it.
create table public.workflow_schedules (
  organization_id text collate "C" not null
    constraint workflow_schedules_organization_id_fkey references public.organizations (id) on delete cascade,
  workflow_id text collate "C" not null,
  next_tick_at timestamptz not null,
  -- A worker may claim the tick from this time on: its time, or the end of the lease.
  available_at timestamptz not null,
  epoch integer not null default 0,
  constraint workflow_schedules_pkey primary key (organization_id, workflow_id),
  constraint workflow_schedules_workflow_id_fkey foreign key (organization_id, workflow_id)
    references public.workflows (organization_id, id) on delete cascade
);
create index workflow_schedules_due_idx on public.workflow_schedules (available_at);
select private.isolate('public.workflow_schedules');
