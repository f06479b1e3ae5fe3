-- Stores results of calls with an idempotency key. A repeated call gets its result from here.
create table public.idempotency_keys (
  organization_id text collate "C" not null
    constraint idempotency_keys_organization_id_fkey references public.organizations (id) on delete cascade,
  tool text not null,
  key text collate "C" not null,
  -- A hash of the arguments: the same key with other arguments is refused.
  fingerprint bytea not null,
  result json,
  created_at timestamptz not null default now(),
  constraint idempotency_keys_pkey primary key (organization_id, tool, key)
);
create index idempotency_keys_created_at_idx on public.idempotency_keys (created_at);
select private.isolate('public.idempotency_keys', bookkeeping => true);
