-- Stores published versions of templates. A row never changes: messages name the version that they were made from.
create table public.template_versions (
  organization_id text collate "C" not null
    constraint template_versions_organization_id_fkey references public.organizations (id) on delete cascade,
  template_id text collate "C" not null,
  version integer not null,
  -- No version ever gets the id of another one, even of a version whose transaction was rolled back. So caches use the
  -- id as key.
  id text collate "C" not null,
  -- The texts as the author wrote them. A restored draft and comparisons use them.
  content json not null,
  -- The texts as they are rendered: with the content of snippets, and with inlined CSS.
  compiled json not null,
  warnings json not null,
  restored_from integer,
  -- There is no foreign key: the account of the author may be deleted.
  actor_kind text not null,
  actor_id text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  constraint template_versions_pkey primary key (organization_id, template_id, version),
  constraint template_versions_template_id_fkey foreign key (organization_id, template_id)
    references public.templates (organization_id, id) on delete cascade
);
select private.isolate('public.template_versions');
