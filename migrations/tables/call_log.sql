-- Stores the latest calls of an organization, for people who look for the cause of an error. Rows are written in
-- batches and may be lost when a process is killed. What must not be lost is in the audit log.
create table public.call_log (
  organization_id text collate "C" not null
    constraint call_log_organization_id_fkey references public.organizations (id) on delete cascade,
  id bigint generated always as identity,
  at timestamptz(3) not null,
  caller_kind text not null,
  caller_id text not null,
  -- Null in a row that only counts calls. These calls have no rows of their own.
  tool text,
  outcome text not null,
  error text,
  duration_ms integer not null,
  request_id text,
  client text,
  unlogged integer not null default 0,
  constraint call_log_pkey primary key (organization_id, at, id)
);
-- gate.purge_call_log() reads this index.
create index call_log_at_idx on public.call_log using brin (at);
select private.isolate('public.call_log', bookkeeping => true);
