-- Stores the delivery log of webhooks. The service keeps the newest few of each kind. Requests of strangers create
-- rows, so the body of a refused request is not stored.
create table public.webhook_deliveries (
  organization_id text collate "C" not null
    constraint webhook_deliveries_organization_id_fkey references public.organizations (id) on delete cascade,
  id text collate "C" not null,
  workflow_id text collate "C" not null,
  kind text not null,
  received_at timestamptz not null,
  status integer not null,
  code text not null,
  -- There is no foreign key: the run may be purged earlier than its delivery.
  run_id text collate "C",
  headers json not null,
  body_bytes integer,
  body_hash bytea,
  body bytea,
  mistakes json not null default '[]',
  constraint webhook_deliveries_pkey primary key (organization_id, id),
  constraint webhook_deliveries_workflow_id_fkey foreign key (organization_id, workflow_id)
    references public.workflows (organization_id, id) on delete cascade,
  constraint webhook_deliveries_kind_check check (kind in ('accepted', 'refused', 'test'))
);
create index webhook_deliveries_newest_idx
  on public.webhook_deliveries (organization_id, workflow_id, kind, received_at, id);
select private.isolate('public.webhook_deliveries', bookkeeping => true);
