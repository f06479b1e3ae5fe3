-- Stores pieces of text that several templates have in common. A published version has its own copy of them.
create table public.template_snippets (
  organization_id text collate "C" not null
    constraint template_snippets_organization_id_fkey references public.organizations (id) on delete cascade,
  id text collate "C" not null,
  name text collate "C" not null,
  content text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint template_snippets_pkey primary key (organization_id, id),
  constraint template_snippets_organization_id_name_key unique (organization_id, name)
);
create index template_snippets_newest_idx on public.template_snippets (organization_id, created_at, id);
select private.isolate('public.template_snippets');
