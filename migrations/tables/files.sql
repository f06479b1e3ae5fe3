-- Stores facts about the files that steps kept: responses of other systems. A file belongs to the run that kept it and
-- is deleted with that run.
create table public.files (
  -- There is no separate foreign key: the one to the run covers it.
  organization_id text collate "C" not null,
  id text collate "C" not null,
  run_id text collate "C" not null,
  name text not null,
  content_type text not null,
  size integer not null,
  sha256 bytea not null,
  created_at timestamptz not null default now(),
  constraint files_pkey primary key (organization_id, id),
  constraint files_run_id_fkey foreign key (organization_id, run_id)
    references public.workflow_runs (organization_id, id) on delete cascade,
  constraint files_size_check check (size between 0 and 10485760)
);
create index files_run_id_idx on public.files (organization_id, run_id);
select private.isolate('public.files');
