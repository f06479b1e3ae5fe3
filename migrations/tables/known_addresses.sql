-- Stores the addresses from which people have signed in. Attempts to sign in from such an address have a separate
-- bucket, so strangers cannot use up the attempts of the person.
create table gate.known_addresses (
  user_id text collate "C" not null
    constraint known_addresses_user_id_fkey references gate.users (id) on delete cascade,
  -- An IPv4 address, or the first 64 bits of an IPv6 address.
  network text collate "C" not null,
  used_at timestamptz not null default now(),
  constraint known_addresses_pkey primary key (user_id, network)
);
create index known_addresses_used_at_idx on gate.known_addresses (used_at);
