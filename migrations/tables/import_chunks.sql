-- Stores the bytes of an uploaded file in parts. Each part ends at the end of a row of the file, so that it can be read
-- alone. A worker imports the rows of one part in one transaction.
create table public.import_chunks (
  organization_id text collate "C" not null,
  import_id text collate "C" not null,
  position integer not null,
  -- The number of the first row in the chunk. The row with the names of the columns is row 1.
  first_row integer not null,
  bytes bytea not null,
  constraint import_chunks_pkey primary key (organization_id, import_id, position),
  constraint import_chunks_import_id_fkey foreign key (organization_id, import_id)
    references public.imports (organization_id, id) on delete cascade,
  constraint import_chunks_bytes_check check (octet_length(bytes) between 1 and 1048576)
);
-- Without this setting, PostgreSQL would spend more time on compression than on the rest of an upload.
alter table public.import_chunks alter column bytes set storage external;
select private.isolate('public.import_chunks', bookkeeping => true);
