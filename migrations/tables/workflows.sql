-- Stores workflows. Their definitions are in workflow_versions.
create table public.workflows (
  organization_id text collate "C" not null
    constraint workflows_organization_id_fkey references public.organizations (id) on delete cascade,
  id text collate "C" not null,
  name text not null,
  active boolean not null,
  version integer not null,
  trigger_type text not null,
  trigger_options json not null default '{}',
  trigger_event text collate "C",
  webhook_options jsonb not null default '{}',
  secret bytea,
  -- The previous secrets, sealed together with the time at which each expires. They are kept after that time, so that
  -- the delivery log can show that a sender still uses one.
  previous_secret bytea,
  -- The time at which the last of the previous secrets expires.
  previous_secret_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  constraint workflows_pkey primary key (organization_id, id)
);
-- The address of a webhook has the id of the workflow, and not the id of the organization. This index finds the row.
create index workflows_id_idx on public.workflows (id);
-- Every change of a contact reads this index, so it contains only workflows that an event can start.
create index workflows_event_idx on public.workflows (organization_id, trigger_event)
  where trigger_event is not null and active and deleted_at is null;
select private.isolate('public.workflows');
