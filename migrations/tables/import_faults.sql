-- Stores the rows of an import that were not imported, with the reasons.
create table public.import_faults (
  organization_id text collate "C" not null,
  import_id text collate "C" not null,
  generation integer not null,
  row integer not null,
  -- The cells as a list of texts in JSON. It is not a value of type json, because a cell may contain U+0000.
  cells text not null,
  reasons text not null,
  constraint import_faults_pkey primary key (organization_id, import_id, generation, row),
  constraint import_faults_import_id_fkey foreign key (organization_id, import_id)
    references public.imports (organization_id, id) on delete cascade
);
select private.isolate('public.import_faults', bookkeeping => true);
