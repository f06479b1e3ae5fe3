-- Stores API keys, each as the SHA-256 of the raw key.
create table public.api_keys (
  organization_id text collate "C" not null
    constraint api_keys_organization_id_fkey references public.organizations (id) on delete cascade,
  id text collate "C" not null,
  hash bytea not null,
  prefix text not null,
  last_four text not null,
  created_by text collate "C",
  created_at timestamptz not null default now(),
  -- The time of the last use, exact to the minute, so that most calls write nothing.
  last_used_at timestamptz,
  revoked_at timestamptz,
  constraint api_keys_pkey primary key (organization_id, id)
);
create unique index api_keys_one_active on public.api_keys (organization_id) where revoked_at is null;
-- The hash is unique among all organizations: it identifies a caller before its organization is known.
create unique index api_keys_hash_key on public.api_keys (hash);
select private.isolate('public.api_keys');
