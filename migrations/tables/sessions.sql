-- Stores signed-in browsers, with the columns that connect-pg-simple expects.
create table gate.sessions (
  -- The SHA-256 of the id in the cookie.
  sid text collate "C" constraint sessions_pkey primary key,
  sess json not null,
  expire timestamptz not null
);
create index sessions_expire_idx on gate.sessions (expire);
