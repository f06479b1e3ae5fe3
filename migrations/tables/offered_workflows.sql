-- Stores offered workflows, which agents of the organization can call as tools.
create table public.offered_workflows (
  organization_id text collate "C" not null
    constraint offered_workflows_organization_id_fkey references public.organizations (id) on delete cascade,
  workflow_id text collate "C" not null,
  name text collate "C" not null,
  title text not null,
  description text not null,
  input_schema json not null,
  wait_seconds integer not null,
  result json,
  revision text not null,
  updated_at timestamptz not null default now(),
  constraint offered_workflows_pkey primary key (organization_id, workflow_id),
  constraint offered_workflows_name_key unique (organization_id, name),
  constraint offered_workflows_workflow_id_fkey foreign key (organization_id, workflow_id)
    references public.workflows (organization_id, id) on delete cascade,
  constraint offered_workflows_name_check check (name ~ '^[a-z][a-z0-9_]{0,63}$'),
  constraint offered_workflows_wait_check check (wait_seconds between 0 and 25)
);
select private.isolate('public.offered_workflows');
