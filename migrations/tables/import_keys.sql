-- Stores the identifiers of the rows that a running import has read. So the import finds a later row of the file with
-- the same identifier, even in a large file, and even if another worker continues.
create table public.import_keys (
  organization_id text collate "C" not null,
  import_id text collate "C" not null,
  generation integer not null,
  -- A hash of the kind and the value of the identifier.
  key uuid not null,
  row integer not null,
  constraint import_keys_pkey primary key (organization_id, import_id, generation, key),
  constraint import_keys_import_id_fkey foreign key (organization_id, import_id)
    references public.imports (organization_id, id) on delete cascade
);
select private.isolate('public.import_keys', bookkeeping => true);
