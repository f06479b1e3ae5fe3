-- Stores suppressed addresses, which get no messages of a channel.
create table public.suppressed_addresses (
  organization_id text collate "C" not null
    constraint suppressed_addresses_organization_id_fkey references public.organizations (id) on delete cascade,
  id text collate "C" not null,
  channel text collate "C" not null,
  -- The address in the form in which contacts store it.
  address text collate "C" not null,
  reason text collate "C" not null,
  -- There is no foreign key: the message that the provider reported may be purged earlier than this row.
  message_id text collate "C",
  created_at timestamptz(3) not null default now(),
  constraint suppressed_addresses_pkey primary key (organization_id, id),
  constraint suppressed_addresses_address_key unique (organization_id, channel, address),
  constraint suppressed_addresses_reason_check check (reason in ('bounce', 'complaint', 'manual'))
);
create index suppressed_addresses_newest_idx on public.suppressed_addresses (organization_id, created_at, id);
select private.isolate('public.suppressed_addresses');
