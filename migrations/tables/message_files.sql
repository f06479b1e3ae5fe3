-- Stores which files a message sends. A trigger writes the rows from the envelope of the message. A file is not
-- deleted before the last message that sends it.
create table public.message_files (
  organization_id text collate "C" not null,
  message_id text collate "C" not null,
  file_id text collate "C" not null,
  constraint message_files_pkey primary key (organization_id, message_id, file_id),
  constraint message_files_message_id_fkey foreign key (organization_id, message_id)
    references public.messages (organization_id, id) on delete cascade,
  constraint message_files_file_id_fkey foreign key (organization_id, file_id)
    references public.files (organization_id, id)
);
create index message_files_file_id_idx on public.message_files (organization_id, file_id);
select private.isolate('public.message_files', bookkeeping => true);
