-- Stores the secrets that requests of workflows to other systems need. sealed contains the secret and the hosts that
-- may receive it, encrypted together by the service. So SQL of a tool can neither read a secret nor redirect it.
create table public.secrets (
  organization_id text collate "C" not null
    constraint secrets_organization_id_fkey references public.organizations (id) on delete cascade,
  name text collate "C" not null,
  sealed bytea not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- There is no foreign key: the row must show who set the secret even after this person's account was deleted.
  updated_by text collate "C",
  constraint secrets_pkey primary key (organization_id, name),
  constraint secrets_name_check check (name ~ '^[a-z][a-z0-9_]{0,63}$'),
  constraint secrets_sealed_check check (octet_length(sealed) between 1 and 65536)
);
select private.isolate('public.secrets');
