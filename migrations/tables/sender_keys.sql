-- Stores the DKIM keys of sender domains. The private keys are encrypted by the service.
create table public.sender_keys (
  organization_id text collate "C" not null,
  -- The name of the DNS record of the public key, within the domain.
  selector text collate "C" not null,
  domain_id text collate "C" not null,
  -- The current key signs. The next one waits for its record. The record of the previous key must stay, because e-mails
  -- in transit need it.
  state text not null default 'next',
  -- The text after p= in the record.
  public_key text not null,
  -- Null for a previous key: its private key was deleted.
  sealed bytea,
  -- True when the last look-up that was answered found the record.
  is_found boolean not null default false,
  created_at timestamptz(3) not null default now(),
  retired_at timestamptz(3),
  constraint sender_keys_pkey primary key (organization_id, selector),
  constraint sender_keys_state_key unique (organization_id, domain_id, state),
  constraint sender_keys_domain_id_fkey foreign key (organization_id, domain_id)
    references public.sender_domains (organization_id, id) on delete cascade,
  constraint sender_keys_state_check check (state in ('next', 'current', 'previous')),
  constraint sender_keys_sealed_check check (octet_length(sealed) between 1 and 65536)
);
select private.isolate('public.sender_keys');
