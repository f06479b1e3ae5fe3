-- Stores the links that prove that a person reads the mail of an address. A row is deleted when its link is used.
create table gate.address_verifications (
  -- The HMAC of account, address and token. So a reader of this table can neither use a link nor guess one.
  digest bytea constraint address_verifications_pkey primary key,
  user_id text collate "C" not null
    constraint address_verifications_user_id_fkey references gate.users (id) on delete cascade,
  expires_at timestamptz not null
);
create index address_verifications_user_id_idx on gate.address_verifications (user_id, expires_at);
create index address_verifications_expires_at_idx on gate.address_verifications (expires_at);
