-- Stores the waits of runs for something other than a time: events, calls of resume URLs, and the ends of runs. There
-- is one row for each such step, and for each resume URL that was called, even before its step begins. The step and the
-- call insert a row with the same key, so they see each other even when they are simultaneous.
create table public.run_waits (
  organization_id text collate "C" not null
    constraint run_waits_organization_id_fkey references public.organizations (id) on delete cascade,
  run_id text collate "C" not null,
  step_id text collate "C" not null,
  event text collate "C" not null,
  state text not null,
  -- '' means any contact, so that one index serves waits for one contact and waits for any contact. There is no foreign
  -- key: a wait for a deleted contact must not become a wait for every contact.
  contact_id text collate "C" not null default '',
  condition text,
  bindings json,
  child_run_id text collate "C",
  -- True if the run child_run_id is canceled together with the waiting run.
  cancels_child boolean not null default false,
  payload json,
  error text,
  armed_at timestamptz,
  -- The transaction in which the wait began, and its snapshot. They show which events happened before the wait.
  armed_xid text,
  armed_snapshot text,
  constraint run_waits_pkey primary key (organization_id, run_id, step_id),
  constraint run_waits_run_id_fkey foreign key (organization_id, run_id)
    references public.workflow_runs (organization_id, id) on delete cascade,
  constraint run_waits_state_check check (state in ('armed', 'delivered', 'consumed', 'closed'))
);
create index run_waits_armed_idx on public.run_waits (organization_id, event, contact_id, run_id, step_id)
  where state = 'armed';
create index run_waits_child_idx on public.run_waits (organization_id, child_run_id)
  where child_run_id is not null;
select private.isolate('public.run_waits', bookkeeping => true);
