-- Offered workflows: those that agents of the organization can call as tools.
create table public.workflow_tools (
  organization_id text collate "C" not null
    constraint workflow_tools_organization_id_fkey references public.organizations (id) on delete cascade,
  workflow_id text collate "C" not null,
  name text collate "C" not null,
  title text not null,
  description text not null,
  input_schema json not null,
  wait_seconds integer not null,
  result json,
  revision text not null,
  updated_at timestamptz not null default now(),
  constraint workflow_tools_pkey primary key (organization_id, workflow_id),
  constraint workflow_tools_name_key unique (organization_id, name),
  constraint workflow_tools_workflow_id_fkey foreign key (organization_id, workflow_id)
    references public.workflows (organization_id, id) on delete cascade,
  constraint workflow_tools_name_check check (name ~ '^[a-z][a-z0-9_]{0,63}$'),
  constraint workflow_tools_wait_check check (wait_seconds between 0 and 25)
);
select private.isolate('public.workflow_tools');
