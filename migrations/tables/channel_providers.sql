-- Stores the accounts of organizations at providers of channels. The column sealed contains the kind, the settings and
-- the secret, encrypted together by the service. So SQL of a tool can neither read a secret nor redirect it.
create table public.channel_providers (
  organization_id text collate "C" not null
    constraint channel_providers_organization_id_fkey references public.organizations (id) on delete cascade,
  id text collate "C" not null,
  channel text collate "C" not null,
  name text not null,
  -- The provider with the lowest number is tried first.
  priority integer not null,
  -- The largest number of messages that the provider gets per second. Null means no limit.
  per_second integer,
  sealed bytea not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- There is no foreign key: the row must show who set the provider even after this person's account was deleted.
  updated_by text collate "C",
  constraint channel_providers_pkey primary key (organization_id, id),
  constraint channel_providers_per_second_check check (per_second between 1 and 10000),
  constraint channel_providers_sealed_check check (octet_length(sealed) between 1 and 65536)
);
select private.isolate('public.channel_providers');
