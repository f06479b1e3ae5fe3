-- Stores versions: immutable, numbered copies of definitions. Each run is pinned to one version.
create table public.workflow_versions (
  organization_id text collate "C" not null
    constraint workflow_versions_organization_id_fkey references public.organizations (id) on delete cascade,
  workflow_id text collate "C" not null,
  version integer not null,
  steps json not null,
  -- The mapping from the payload of a trigger to the contact of the run.
  trigger_contact json,
  -- The whole definition, and who saved it. There is no foreign key: the account of the author may be deleted.
  content json,
  actor_kind text,
  actor_id text collate "C",
  restored_from integer,
  -- tool_schemas has the hash of the argument schema of each tool at the time of saving. fitting_schemas has the
  -- hashes of the last check that the steps passed after they were saved. The type is jsonb, because one operator of
  -- jsonb (containment) compares all hashes in one step.
  tool_schemas jsonb,
  fitting_schemas jsonb,
  loose_references json,
  created_at timestamptz not null default now(),
  constraint workflow_versions_pkey primary key (organization_id, workflow_id, version),
  constraint workflow_versions_workflow_id_fkey foreign key (organization_id, workflow_id)
    references public.workflows (organization_id, id) on delete cascade
);
select private.isolate('public.workflow_versions');
