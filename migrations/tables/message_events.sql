-- Stores the history of each message: one row for each state that the message got. Triggers write the row in the
-- statement that changes the message. The role of tenants can only read the rows.
create table public.message_events (
  organization_id text collate "C" not null,
  message_id text collate "C" not null,
  -- The order of the events. Events of one transaction have the same time.
  id bigint generated always as identity,
  at timestamptz(3) not null default now(),
  status text not null,
  reason text,
  attempts integer not null,
  constraint message_events_pkey primary key (organization_id, message_id, id),
  constraint message_events_message_id_fkey foreign key (organization_id, message_id)
    references public.messages (organization_id, id) on delete cascade
);
select private.isolate('public.message_events', bookkeeping => true);
