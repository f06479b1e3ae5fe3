-- Stores the contents of digests until they are sent: the templates of the first call and the variables of every call.
create table public.message_digests (
  organization_id text collate "C" not null,
  message_id text collate "C" not null,
  subject text,
  body text,
  html text,
  variables jsonb not null,
  -- The variables of each call, oldest first.
  items jsonb not null,
  -- The message is sent when the digest has this number of items.
  max_items integer not null,
  constraint message_digests_pkey primary key (organization_id, message_id),
  constraint message_digests_message_id_fkey foreign key (organization_id, message_id)
    references public.messages (organization_id, id) on delete cascade
);
select private.isolate('public.message_digests');
