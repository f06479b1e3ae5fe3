-- Stores people. They are looked up before any organization is known, so only functions of the gate read them. SQL of
-- tools runs with the tenant role, which has no access.
create table gate.users (
  id text collate "C" constraint users_pkey primary key,
  email text not null,
  password_hash text not null,
  created_at timestamptz not null default now()
);
create unique index users_email_key on gate.users (lower(email));
