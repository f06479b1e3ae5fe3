-- Stores for how many days an organization keeps its runs, messages, webhook deliveries or audit log. Without a row,
-- they are kept forever.
create table public.retention_rules (
  organization_id text collate "C" not null
    constraint retention_rules_organization_id_fkey references public.organizations (id) on delete cascade,
  kind text not null,
  days integer not null,
  -- A worker may purge from this time on: the time of the next purge, or the end of a lease.
  available_at timestamptz not null default now(),
  epoch integer not null default 0,
  constraint retention_rules_pkey primary key (organization_id, kind),
  constraint retention_rules_kind_check
    check (kind in ('runs', 'messages', 'webhook_deliveries', 'audit_log')),
  -- The minimum is seven days. The idempotency key of a webhook delivery is stored with the run of the delivery, and
  -- must be valid for seven days.
  constraint retention_rules_days_check check (days between 7 and 3650)
);
create index retention_rules_due_idx on public.retention_rules (available_at);
select private.isolate('public.retention_rules');
