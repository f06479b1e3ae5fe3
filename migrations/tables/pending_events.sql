-- Stores domain events that workers still have to deliver to waiting runs.
create table public.pending_events (
  organization_id text collate "C" not null
    constraint pending_events_organization_id_fkey references public.organizations (id) on delete cascade,
  id text collate "C" not null,
  name text collate "C" not null,
  contact_id text collate "C",
  payload json not null,
  -- The transaction in which the event happened.
  xid text not null,
  happened_at timestamptz not null,
  -- The last wait that the event was delivered to. The delivery continues after this wait.
  after_run_id text collate "C" not null default '',
  after_step_id text collate "C" not null default '',
  -- A worker may claim the event from this time on. A new event can be claimed immediately, a claimed event after its
  -- lease.
  available_at timestamptz not null default now(),
  epoch integer not null default 0,
  constraint pending_events_pkey primary key (organization_id, id)
);
create index pending_events_due_idx on public.pending_events (available_at);
-- A wake-up names an event by its id alone.
create index pending_events_id_idx on public.pending_events (id);
select private.isolate('public.pending_events', bookkeeping => true);
