-- Stores organizations. Every row of the schema public belongs to one of them.
create table public.organizations (
  id text collate "C" constraint organizations_pkey primary key,
  name text not null,
  created_at timestamptz not null default now()
);
select private.isolate('public.organizations', 'id');
