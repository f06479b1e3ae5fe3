-- Stores the run journal: input, output, error and attempts of each step.
create table public.run_steps (
  -- There is no foreign key to organizations: the foreign key to the run includes this column.
  organization_id text collate "C" not null,
  run_id text collate "C" not null,
  step_id text collate "C" not null,
  position integer not null,
  tool text,
  status text not null,
  attempts integer not null,
  failed_attempts json,
  input json,
  output json,
  error json,
  -- The progress of a loop. The journal rows of the finished iterations of this loop are deleted.
  progress json,
  wake_at timestamptz,
  started_at timestamptz not null,
  finished_at timestamptz,
  constraint run_steps_pkey primary key (organization_id, run_id, step_id),
  constraint run_steps_run_id_fkey foreign key (organization_id, run_id)
    references public.workflow_runs (organization_id, id) on delete cascade,
  constraint run_steps_status_check
    check (status in ('running', 'waiting', 'succeeded', 'failed', 'skipped'))
);
select private.isolate('public.run_steps');
