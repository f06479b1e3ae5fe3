-- Stores runs, with their places in the queue, their leases, and how limits delay them.
--
-- A queued run can be delayed by four limits, in this order: debounce, rate, the slots of its key, the slots of
-- the workflow. A run gets a place of the rate only when its key has a free slot; until then the run is delayed by
-- 'turn'. admit_runs_of_workflow lets it pass the limits, and only then can it be claimed, so no claim reads delayed
-- runs. A run gets its slots when it passes the last limits and gives them back when it ends or waits. The slots belong
-- to the run and not to its worker, so no slot is lost when a worker dies. Only rows are counted, so no counter can
-- drift.
create table public.workflow_runs (
  -- No foreign key to the organization: the key to the version includes it, and every insert would check both keys.
  organization_id text collate "C" not null,
  id text collate "C" not null,
  workflow_id text collate "C" not null,
  workflow_version integer not null,
  status text not null default 'queued',
  reason text,
  trigger_type text not null,
  -- The bytes that the sender sent. The type is bytea, because jsonb refuses some valid JSON (\u0000, lone surrogates,
  -- 1e131073). For a large payload, this is the outline, and a file of the run has the bytes.
  payload bytea not null,
  -- Facts about the large payload of the run. Null for a run without a large payload.
  large_payload json,
  contact_id text collate "C",
  dedupe_key text collate "C",
  body_hash bytea,
  -- A run can start another run. depth is the number of runs in the chain that led to this run. root_run_id is the
  -- first run of this chain. There are no foreign keys here and in replay_of, because these runs may be purged earlier
  -- than this run.
  depth integer not null default 0,
  root_run_id text collate "C",
  replay_of text collate "C",
  epoch integer not null default 0,
  crashes integer not null default 0,
  -- A worker may claim the run from this time on: its wake-up time or, while it runs, the end of its lease.
  available_at timestamptz not null default now(),
  -- True if limits apply to the run.
  limited boolean not null default false,
  delayed_by text,
  -- At this time the limit must be checked again, even if no other run ends.
  delayed_until timestamptz,
  debounce_key text collate "C",
  -- The creation time of the first run that this run replaces.
  debounce_since timestamptz,
  -- Set to infinity when the run passes the rate limit, and to the current time when the run begins.
  released_at timestamptz,
  -- The earlier times at which a retried run began, if they may still count against the rate.
  earlier_begins timestamptz[],
  slot_key text collate "C",
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  constraint workflow_runs_pkey primary key (organization_id, id),
  constraint workflow_runs_dedupe_key unique (organization_id, workflow_id, dedupe_key),
  constraint workflow_runs_version_fkey foreign key (organization_id, workflow_id, workflow_version)
    references public.workflow_versions (organization_id, workflow_id, version) on delete cascade,
  constraint workflow_runs_contact_id_fkey foreign key (organization_id, contact_id)
    references public.contacts (organization_id, id) on delete set null (contact_id),
  constraint workflow_runs_status_check
    check (status in ('queued', 'running', 'waiting', 'succeeded', 'failed', 'canceled')),
  constraint workflow_runs_delayed_by_check check (delayed_by in ('debounce', 'rate', 'turn', 'key', 'slot'))
);

-- These indexes find runs whose lease has ended, runs that follow from one run, runs for lists with filters, and runs
-- to purge.
create index workflow_runs_lease_idx on public.workflow_runs (available_at) where status = 'running';
create index workflow_runs_root_idx on public.workflow_runs (organization_id, root_run_id)
  where root_run_id is not null;
-- There is no index on all runs by age. A list of all runs reads the newest runs of each status, and merges them.
create index workflow_runs_status_idx on public.workflow_runs (organization_id, status, created_at, id);
create index workflow_runs_workflow_idx
  on public.workflow_runs (organization_id, workflow_id, status, created_at, id);
create index workflow_runs_contact_idx on public.workflow_runs (organization_id, contact_id, created_at, id)
  where contact_id is not null;
create index workflow_runs_reason_idx on public.workflow_runs (organization_id, reason, created_at, id)
  where reason is not null;
create index workflow_runs_finished_idx on public.workflow_runs (organization_id, finished_at)
  where finished_at is not null;

-- The sweep and the claims find due waits with this index.
create index workflow_runs_wake_idx on public.workflow_runs (available_at) where status = 'waiting';
create index workflow_runs_due_idx on public.workflow_runs (organization_id, available_at)
  where status = 'queued' and delayed_by is null;

-- Limits use these indexes to find the runs that they delay, oldest first, the runs with a slot, and the runs that
-- count against the rate.
create index workflow_runs_delayed_idx on public.workflow_runs (organization_id, workflow_id, delayed_by, created_at, id)
  where status = 'queued' and delayed_by is not null;
create index workflow_runs_delayed_until_idx on public.workflow_runs (delayed_until)
  where status = 'queued' and delayed_until is not null;
create index workflow_runs_debounce_idx
  on public.workflow_runs (organization_id, workflow_id, debounce_key, created_at, id)
  where status = 'queued' and delayed_by = 'debounce';
create index workflow_runs_slot_idx
  on public.workflow_runs (organization_id, workflow_id, delayed_by, slot_key, created_at, id)
  where limited and status in ('queued', 'running');
create index workflow_runs_released_idx on public.workflow_runs (organization_id, workflow_id, released_at)
  where released_at is not null;

-- A wake-up names a run by its id alone. This index must be the last of the table: without statistics all usable
-- indexes cost the same, and PostgreSQL chooses the one that was created last. With any other index, the
-- search would read all runs of the organization.
create index workflow_runs_id_idx on public.workflow_runs (id);

select private.isolate('public.workflow_runs');

create trigger workflow_runs_notify_change after update of status on public.workflow_runs for each row
  when (new.status = 'failed' and new.reason = 'poison' or new.status = 'canceled' and new.reason in ('debounced', 'parent_ended'))
  execute function private.notify_run_change();
create trigger workflow_runs_record_parked after update of status on public.workflow_runs for each row
  when (new.status = 'failed' and new.reason = 'poison' and old.status <> 'failed')
  execute function private.record_parked_run();
-- Only a run that another run started can have runs that wait for its end.
create trigger workflow_runs_end_child after update of status on public.workflow_runs for each row
  when (new.depth > 0 and new.status in ('succeeded', 'failed', 'canceled') and new.status <> old.status)
  execute function private.end_child_run();
create trigger workflow_runs_cancel_children after update of status on public.workflow_runs for each row
  when (new.status = 'canceled' and old.status in ('queued', 'running', 'waiting') and new.reason <> 'debounced')
  execute function private.cancel_children();
create trigger workflow_runs_requeue_limited before update of status on public.workflow_runs for each row
  when (new.limited and new.status = 'queued' and old.status in ('waiting', 'failed', 'canceled'))
  execute function private.requeue_limited_run();
create trigger workflow_runs_use_rate_place before update of status on public.workflow_runs for each row
  when (old.released_at = 'infinity' and new.status <> 'queued')
  execute function private.use_rate_place();
