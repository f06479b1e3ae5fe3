-- Stores a row for each change and its actor. The service may only add rows: see ensure_roles.
create table public.audit_log (
  organization_id text collate "C" not null
    constraint audit_log_organization_id_fkey references public.organizations (id) on delete cascade,
  id bigint generated always as identity,
  at timestamptz not null default now(),
  actor_kind text not null,
  actor_id text not null,
  action text not null,
  subject text,
  constraint audit_log_pkey primary key (organization_id, id)
);
select private.isolate('public.audit_log', bookkeeping => true);
