-- Stores the bytes of files in parts, so that the service needs little memory to send a file to a browser.
create table public.file_chunks (
  organization_id text collate "C" not null,
  file_id text collate "C" not null,
  position integer not null,
  bytes bytea not null,
  constraint file_chunks_pkey primary key (organization_id, file_id, position),
  constraint file_chunks_file_id_fkey foreign key (organization_id, file_id)
    references public.files (organization_id, id) on delete cascade,
  constraint file_chunks_bytes_check check (octet_length(bytes) between 1 and 1048576)
);
-- Responses are often compressed already. With the default storage, PostgreSQL would try to compress each chunk.
alter table public.file_chunks alter column bytes set storage external;
select private.isolate('public.file_chunks', bookkeeping => true);
