-- Stores sender domains: an organization can send e-mails from the addresses of its sender domains. Also stores the
-- result of the last look-up of the DNS record of each domain. Each organization proves a domain with a separate
-- record, so several organizations can have the same domain.
create table public.sender_domains (
  organization_id text collate "C" not null
    constraint sender_domains_organization_id_fkey references public.organizations (id) on delete cascade,
  id text collate "C" not null,
  -- The domain in lowercase, with A-labels.
  domain text collate "C" not null,
  -- The text that the TXT record of the domain must contain.
  token text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  -- There is no foreign key: the row must show who added the domain even after this person's account was deleted.
  created_by text collate "C",
  -- gate.record_sender_check() writes these columns. The role of tenants cannot write them, so SQL of a tool cannot
  -- verify a domain.
  verified_at timestamptz(3),
  -- Every look-up since this time said that there is no such record.
  missing_since timestamptz(3),
  checked_at timestamptz(3),
  result text,
  next_check_at timestamptz,
  constraint sender_domains_pkey primary key (organization_id, id),
  constraint sender_domains_domain_key unique (organization_id, domain),
  constraint sender_domains_result_check check (result in ('found', 'missing', 'different', 'unanswered'))
);
create index sender_domains_next_check_at_idx on public.sender_domains (next_check_at) where next_check_at is not null;
select private.isolate('public.sender_domains');
