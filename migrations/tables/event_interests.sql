-- Lists the domain events that a step of a workflow may wait for. An event that is not in this table is not stored.
create table public.event_interests (
  organization_id text collate "C" not null
    constraint event_interests_organization_id_fkey references public.organizations (id) on delete cascade,
  event text collate "C" not null,
  workflow_id text collate "C" not null,
  constraint event_interests_pkey primary key (organization_id, event, workflow_id),
  constraint event_interests_workflow_id_fkey foreign key (organization_id, workflow_id)
    references public.workflows (organization_id, id) on delete cascade
);
select private.isolate('public.event_interests', bookkeeping => true);
