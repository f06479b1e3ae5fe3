-- Lists the events that organizations have emitted. gate.purge_custom_events() keeps only the newest events of each
-- organization.
create table public.custom_events (
  organization_id text collate "C" not null
    constraint custom_events_organization_id_fkey references public.organizations (id) on delete cascade,
  id text collate "C" not null,
  name text collate "C" not null,
  emitted_at timestamptz(3) not null default now(),
  -- There are no foreign keys, because the contact and the run may be deleted before the event.
  contact_id text collate "C",
  -- The run that emitted the event, if a run did.
  run_id text collate "C",
  -- The size of the data as JSON, and the beginning of that text.
  data_bytes integer not null,
  data_preview text not null,
  started_runs integer not null,
  continued_runs integer not null default 0,
  constraint custom_events_pkey primary key (organization_id, id)
);
create index custom_events_newest_idx on public.custom_events (organization_id, emitted_at, id);
select private.isolate('public.custom_events');
