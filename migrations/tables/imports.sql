-- Stores uploaded files with contacts, and the progress of their import. A worker that imports has a lease on the row.
create table public.imports (
  organization_id text collate "C" not null
    constraint imports_organization_id_fkey references public.organizations (id) on delete cascade,
  id text collate "C" not null,
  name text not null,
  status text not null default 'uploading',
  encoding text not null,
  delimiter text not null,
  -- The names of the columns, and the first rows as lists of texts.
  columns json not null,
  preview json not null default '[]',
  size bigint not null default 0,
  rows integer not null default 0,
  chunks integer not null default 0,
  -- The arguments of start_import. Null before the first start.
  options json,
  -- The number of starts. Rows in import_keys and import_faults of earlier starts have no effect.
  generation integer not null default 0,
  next_chunk integer not null default 0,
  processed integer not null default 0,
  created integer not null default 0,
  updated integer not null default 0,
  unchanged integer not null default 0,
  skipped integer not null default 0,
  duplicate integer not null default 0,
  failed integer not null default 0,
  error text,
  -- The number of claims since the last chunk was finished.
  attempts integer not null default 0,
  epoch integer not null default 0,
  lease_until timestamptz,
  created_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  constraint imports_pkey primary key (organization_id, id),
  constraint imports_status_check check (
    status in ('uploading', 'uploaded', 'running', 'checked', 'completed', 'failed', 'canceled')
  )
);
create index imports_newest_idx on public.imports (organization_id, created_at, id);
-- The index contains only the rows that workers claim.
create index imports_running_idx on public.imports (id) where status = 'running';
select private.isolate('public.imports');
