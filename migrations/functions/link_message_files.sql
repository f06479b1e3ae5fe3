-- Trigger function: stores which files the envelope of a new message names.
--
-- Arguments: none (row trigger on insert).
-- Result: null. An unknown file violates the foreign key.
-- Locks: the rows of the files, against deletion.
create or replace function private.link_message_files() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  insert into public.message_files (organization_id, message_id, file_id)
  select distinct new.organization_id, new.id, a.value ->> 'fileId'
  from json_array_elements(new.envelope -> 'attachments') a;
  return null;
end
$$;
