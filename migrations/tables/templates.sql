-- Stores templates of messages with their drafts. Messages are made from published versions only.
create table public.templates (
  organization_id text collate "C" not null
    constraint templates_organization_id_fkey references public.organizations (id) on delete cascade,
  id text collate "C" not null,
  name text collate "C" not null,
  description text,
  -- The draft: variables, and variants by locale. It is json, because the order of the locales matters.
  draft json not null,
  -- The number of changes of the draft.
  draft_version integer not null default 1,
  -- The version from which the draft was restored. Null after a change of the draft.
  restored_from integer,
  -- The newest published version. Null before the first one.
  version integer,
  -- The id of the newest published version.
  version_id text collate "C",
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint templates_pkey primary key (organization_id, id),
  constraint templates_organization_id_name_key unique (organization_id, name)
);
create index templates_newest_idx on public.templates (organization_id, created_at, id);
select private.isolate('public.templates');
