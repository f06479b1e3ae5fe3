-- Stores facts about files: responses that steps kept, and uploads. A file with a run is deleted with that run. Any
-- other file is deleted 30 days after its upload, but not before the messages that send it.
create table public.files (
  organization_id text collate "C" not null
    constraint files_organization_id_fkey references public.organizations (id) on delete cascade,
  id text collate "C" not null,
  -- Null for an upload.
  run_id text collate "C",
  name text not null,
  content_type text not null,
  size integer not null,
  sha256 bytea not null,
  created_at timestamptz not null default now(),
  -- True until all bytes have arrived. Until then, size and sha256 are unknown.
  is_uploading boolean not null default false,
  constraint files_pkey primary key (organization_id, id),
  constraint files_run_id_fkey foreign key (organization_id, run_id)
    references public.workflow_runs (organization_id, id) on delete cascade,
  constraint files_size_check check (size between 0 and 10485760)
);
create index files_run_id_idx on public.files (organization_id, run_id);
create index files_uploads_idx on public.files (created_at) where run_id is null;
select private.isolate('public.files');
