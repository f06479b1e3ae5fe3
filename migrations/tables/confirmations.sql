-- Stores the calls of agents that a signed-in person must approve. A row approves one execution of
-- one call: with the API key, the tool and the arguments that the row names.
create table public.confirmations (
  organization_id text collate "C" not null
    constraint confirmations_organization_id_fkey references public.organizations (id) on delete cascade,
  id text collate "C" not null,
  api_key_id text collate "C" not null,
  tool text collate "C" not null,
  -- The call as a person sees and approves it. It is json and not jsonb, so that it is shown as it was stored.
  arguments json not null,
  -- A hash of the arguments, by which a repeated call finds its row.
  digest bytea not null,
  state text not null default 'pending',
  created_at timestamptz not null default now(),
  -- After this time the row has no effect, whatever its state is.
  expires_at timestamptz not null,
  answered_at timestamptz,
  -- There is no foreign key: the row must show who approved the call even after this person's account was deleted.
  answered_by text collate "C",
  constraint confirmations_pkey primary key (organization_id, id),
  constraint confirmations_state_check check (state in ('pending', 'approved', 'declined', 'used', 'failed')),
  constraint confirmations_answer_check check (
    (state = 'pending') = (answered_by is null) and (answered_by is null) = (answered_at is null)
  )
);
create index confirmations_call_idx
  on public.confirmations (organization_id, api_key_id, tool, digest, created_at);
create index confirmations_created_at_idx on public.confirmations (organization_id, created_at);
create index confirmations_expires_at_idx on public.confirmations (expires_at);
select private.isolate('public.confirmations');
